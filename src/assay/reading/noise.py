"""What is left of a page when what changes at every visit is taken away."""

from assay.model.hashes import content_hash
from assay.reading.look import look

_SNIFFED = 2048


def hash_without_noise(data: bytes, hash_of_content: str) -> str:
    """The hash of a page's words without scripts, attributes, menus, header and footer.

    Two versions of a page with the same hash say the same. What is no page is its own bytes.
    """
    if b"<" not in data[:_SNIFFED] or b"<?xml" in data[:_SNIFFED].lstrip()[:5]:
        return hash_of_content
    page = look(data)
    if not page.text:
        return hash_of_content
    return content_hash(f"{page.title or ''}\n{page.text}".encode("utf-8", "surrogatepass"))
