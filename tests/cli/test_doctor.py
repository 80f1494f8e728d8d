"""`pak3h doctor` in a good environment and in broken ones, on the installed wheel."""

import json

import pytest

pytestmark = pytest.mark.slow


def doctor(environment, **environ):
    done = environment.run("-m", "pak3h_tasks", "doctor", "--format", "json", check=False, **environ)
    assert "Traceback" not in done.stderr
    return done.returncode, {finding["check"]: finding for finding in json.loads(done.stdout)}


def test_a_good_environment(environment, small_lm_eval):
    code, found = doctor(environment)
    assert code == 0
    assert found["lm-eval"]["state"] == "ok" and str(small_lm_eval) in found["lm-eval"]["detail"]
    assert found["tasks visible"]["state"] == "ok"
    assert str(environment.site_packages / "pak3h_autoload.pth") in found["tasks visible"]["detail"]
    # 3 languages x 4 cuts x (2 kinds of truthfulqa, alpaca, beavertails)
    assert "(48 tasks, 7 groups," in found["task folder"]["detail"]
    assert found["data"]["state"] == "warn" and "sample" in found["data"]["detail"]
    assert "30 items (18 DT, 8 LC, 4 LI), sample@" in found["truthfulqa/ur"]["detail"]


def test_hook_switched_off_and_faulty_data(environment, tmp_path):
    (tmp_path / "truthfulqa").mkdir()
    (tmp_path / "truthfulqa" / "ur.jsonl").write_text('{"id": "a"}\n')
    code, found = doctor(environment, PAK3H_AUTOLOAD="0", PAK3H_DATA=str(tmp_path))
    assert code == 1
    assert found["tasks visible"]["state"] == "fail"
    assert "PAK3H_AUTOLOAD=0" in found["tasks visible"]["detail"]
    assert "--include_path" in found["tasks visible"]["detail"]
    assert found["truthfulqa/ur"]["state"] == "fail"
    assert "truthfulqa/ur.jsonl line 1: 'question' is missing" in found["truthfulqa/ur"]["detail"]


def test_lm_eval_that_cannot_be_imported_and_a_source_that_is_not_there(environment, tmp_path):
    (tmp_path / "lm_eval").mkdir()
    (tmp_path / "lm_eval" / "__init__.py").write_text("raise ImportError('gone')")
    code, found = doctor(environment, PYTHONPATH=str(tmp_path), PAK3H_DATA=str(tmp_path / "nowhere"))
    assert code == 1
    assert found["lm-eval"]["state"] == "fail"
    assert "gone" in found["lm-eval"]["detail"] and "pip install" in found["lm-eval"]["detail"]
    assert found["data"]["state"] == "fail" and "is no folder" in found["data"]["detail"]
