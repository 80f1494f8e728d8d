import pytest

from pak3h_tasks.data.mojibake import is_mojibake

URDU = "کچھ نہیں ہوتا، پھر بھی «لاہور» کی گلیوں میں مضطرب عکس، غنچہ اور طغیانی؟ یہ “اچھا” ہے۔"


def misread(text, code_page):
    """As programs do: bytes that the code page does not know become control characters."""
    decoded = ""
    for byte in text.encode():
        try:
            decoded += bytes([byte]).decode(code_page)
        except UnicodeDecodeError:
            decoded += chr(byte)
    return decoded


@pytest.mark.parametrize(
    "code_page",
    ["latin-1", "cp1252", "cp1256", "cp1250", "cp1251", "cp1253", "cp1254", "iso8859_6", "koi8_r", "mac_roman", "cp437",
     "cp850", "cp866", "cp720"],
)  # fmt: skip
@pytest.mark.parametrize("text", [URDU, "کچھ", "نہیں۔", "ہاں", "Wi-Fi on کریں"])
def test_urdu_through_a_wrong_code_page(text, code_page):
    assert is_mojibake(misread(text, code_page))


def test_twice_wrong_and_lossy():
    assert is_mojibake(misread(misread(URDU, "cp1252"), "cp1252"))
    for errors in ("replace", "ignore"):
        assert is_mojibake(URDU.encode().decode("cp1252", errors))
    assert is_mojibake("کچ\ufffdھ")


def test_english_with_typographic_marks():
    text = "It’s a “test” — don’t. 5 €"
    assert is_mojibake(misread(text, "cp1252"))
    assert not is_mojibake(text)


@pytest.mark.parametrize(
    "text",
    [URDU, "", "plain", "عکس", "CAFÉ»", "naïve São Tomé à la Zürich", "5 °C, ½ £", "Привет мир", "你好，世界",
     "Ελλάδα είναι ωραία", "हिन्दी पाठ", "Übermäßige Größe", "العربية الفصحى", "فارسی می‌نویسم", "1938ء میں ½ 🙂"],
)  # fmt: skip
def test_other_texts_are_what_they_are(text):
    assert not is_mojibake(text)
