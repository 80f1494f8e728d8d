import pytest


@pytest.fixture(scope="session")
def tiny_nllb(tmp_path_factory):
    from support.tiny_nllb import build

    return build(tmp_path_factory.mktemp("nllb") / "tiny")
