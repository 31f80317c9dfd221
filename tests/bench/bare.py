"""The floors: what tantivy and YAML take for the same files when nothing else is done."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import tantivy
import yaml

_HEAP = 100_000_000
_SMALL_HEAP = 15_000_000


class BareIndex:
    """Tantivy over whole files, with the tokenizer that the index uses and nothing else."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_text_field("text", tokenizer_name="words")
        self._index = tantivy.Index(builder.build(), str(folder))
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        kept = words.filter(tantivy.Filter.remove_long(100)).filter(tantivy.Filter.lowercase())
        self._index.register_tokenizer("words", kept.filter(tantivy.Filter.ascii_fold()).build())
        self._index.config_reader("manual")
        self._index.reload()

    def fill(self, files: Iterable[Path]) -> None:
        """Read every file, add it, commit."""
        writer = self._index.writer(_HEAP, 1)
        for file in files:
            text = file.read_bytes().decode("utf-8", "replace")
            writer.add_document(tantivy.Document(path=str(file), text=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def replace(self, file: Path) -> None:
        """Read one file, put it in the place of what it was, commit, see it."""
        writer = self._index.writer(_SMALL_HEAP, 1)
        writer.delete_documents_by_term("path", str(file))
        writer.add_document(tantivy.Document(path=str(file), text=file.read_text("utf-8")))
        writer.commit()
        self._index.reload()
        writer.wait_merging_threads()

    def ask(self, words: str) -> list[str]:
        """Return the paths of the best twenty matches of all words."""
        query, _ = self._index.parse_query_lenient(words, ["text"], conjunction_by_default=True)
        searcher = self._index.searcher()
        return [str(searcher.doc(at).get_first("path")) for _, at in searcher.search(query, 20).hits]


def load_yaml(blocks: list[str]) -> None:
    """Load every block as PyYAML does."""
    for block in blocks:
        yaml.load(block, Loader=yaml.CSafeLoader)
