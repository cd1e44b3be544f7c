"""What remains of a page without the parts that change with every visit."""

from assay.errors import ContentError
from assay.model.hashes import content_hash
from assay.reading.forms import DocumentForm, sniff_form
from assay.reading.page_look import look_at_page


def hash_without_noise(data: bytes, hash_of_content: str) -> str:
    """The hash of a page's words without scripts, attributes, menus, header and footer.

    Two versions of a page with the same hash say the same. Anything else is hashed as it is.
    """
    if not _is_page(data):
        return hash_of_content
    page = look_at_page(data)
    if not page.text:
        return hash_of_content
    return content_hash(f"{page.title or ''}\n{page.text}".encode("utf-8", "surrogatepass"))


def _is_page(data: bytes) -> bool:
    # By its form, not by any "<": a PDF has them too, and what is between them matters.
    try:
        return sniff_form(data) is DocumentForm.HTML
    except ContentError:
        return False
