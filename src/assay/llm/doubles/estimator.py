"""An estimator that counts like the doubles, so that tests can calculate exactly."""

from assay.llm.doubles.words import count_tokens
from assay.llm.messages import ModelRequest


class WordEstimator:
    """Counts one token per word, both sent and received; it has nothing to learn."""

    def raw_prompt(self, request: ModelRequest) -> int:
        return count_tokens(request.system, request.user)

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        return raw

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        return count_tokens(text)

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        """Does nothing, because the count is exact."""
