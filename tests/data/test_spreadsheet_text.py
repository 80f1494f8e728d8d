from hypothesis import example, given
from hypothesis import strategies as st

from pak3h_tasks.data.spreadsheet_text import FORMULA_STARTS, from_csv, from_xlsx, to_csv, to_xlsx

pieces = st.sampled_from(
    ["'", "=", "+", "@", "\t", "\r", "\n", "␛", "_x0041_", "_x005F_", "x005F_", "\0", "\ud800", "a"]
)
texts = st.text() | st.lists(pieces).map("".join)


@given(texts)
@example("'=1")
@example("''")
@example("_x_x0041_")
def test_both_encodings_are_exactly_undone(text):
    assert from_csv(to_csv(text)) == text
    assert from_xlsx(to_xlsx(text)) == text


@given(texts)
def test_no_csv_cell_starts_a_formula(text):
    assert not to_csv(text).startswith((*FORMULA_STARTS, "\r"))


@given(texts)
def test_xlsx_cells_are_legal_xml_and_no_excel_escape(text):
    cell = to_xlsx(text)
    # XML 1.0, production 2 (Char); Excel's own escape, ECMA-376 part 1, 22.9.2.19 (ST_Xstring)
    assert all(
        char in "\t\n" or " " <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char > "\uffff" for char in cell
    )
    assert from_xlsx(cell) == text
    assert "_x0041_" not in cell
    assert "x005F_" not in cell


def test_plain_urdu_stays_readable():
    text = "می\u200cروم دِلّی ۱۹۴۷ء ۔ 'ہاں'"
    assert to_csv(text) == to_xlsx(text) == text
