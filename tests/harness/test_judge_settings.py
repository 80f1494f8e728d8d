"""Settings that reach a served judge, and what a run shares."""

from __future__ import annotations

import pytest

from pak3h_tasks.backends.servers.chat import OpenAIChat
from pak3h_tasks.cli import score_job
from pak3h_tasks.errors import SettingsError
from pak3h_tasks.harness.judges import chat_backend
from pak3h_tasks.settings import Settings


def test_one_backend_a_server_and_model() -> None:
    settings = Settings.from_environment(judge_base_url="http://127.0.0.1:9/v1", judge_max_tokens=4000)
    one = chat_backend("m", settings)
    assert isinstance(one, OpenAIChat) and one is chat_backend("m", settings) is not chat_backend("n", settings)
    assert one.dialect.budget == 4000 and one.dialect.from_the_start


def test_an_azure_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAK3H_JUDGE_BASE_URL", "https://x.openai.azure.com")
    monkeypatch.setenv("PAK3H_JUDGE_API_VERSION", "2031-01-01")
    backend = chat_backend("azure:deep", Settings.from_environment())
    assert isinstance(backend, OpenAIChat) and backend.served.address.query == {"api-version": "2031-01-01"}
    assert backend.url == "https://x.openai.azure.com/openai/deployments/deep"


def test_a_budget_below_what_servers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAK3H_JUDGE_MAX_TOKENS", "5")
    with pytest.raises(SettingsError, match="PAK3H_JUDGE_MAX_TOKENS"):
        Settings.from_environment()


def test_a_copy_is_not_named_after_a_password() -> None:
    names = score_job.copy_names(Settings.from_environment(classifier="vllm:http://me:hush@h:8000"))
    assert names["beavertails"] == "vllm:http://h:8000"
