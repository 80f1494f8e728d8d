import pytest

from pak3h_tasks.text.thinking import without_thinking

THINKING = {
    "<think>پہلے سوچوں</think>جواب": "جواب",
    "<think>\n\n</think>\n\nجواب": "\n\nجواب",
    "سوچا ہوا</think>\nجواب": "\nجواب",
    "<think>کبھی ختم نہیں": "",
    "جواب<think>پھر سے": "جواب",
    "a<think>b</think>c<THINK>d</Think>e": "ace",
    "[THINK]b[/THINK]c": "c",
    "<thinking>b</thinking>c": "c",
    "<think>a<think>b</think>c</think>d": "d",
    "◁think▷سوچ◁/think▷جواب": "جواب",
    "<seed:think>سوچ</seed:think>جواب": "جواب",
    "<|begin_of_thought|>سوچ<|end_of_thought|>جواب": "جواب",
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>جواب<|return|>": "جواب",
    "<|channel|>analysis<|message|>it never en": "",
    "analysisThe user asks in Urdu. Final: no.assistantfinalجواب": "جواب",
    "analysis shows that it is final": "analysis shows that it is final",
    "1 < 2 > <thinker> [thin]": "1 < 2 > <thinker> [thin]",
    "": "",
}


@pytest.mark.parametrize(("text", "rest"), THINKING.items(), ids=THINKING)
def test_thinking_traces(text, rest):
    assert without_thinking(text) == rest
