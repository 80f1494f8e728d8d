"""One spelling for each Urdu word: hamza, joined words and set phrases that writers spell in more than one way.

Input is already in Urdu code points (`pak3h_tasks.text.normalise` calls this last). Every rule changes what no Urdu
reader takes for another word; the arguments are in docs/scoring.md. Pairs that one letter tells apart stay two words:
he and do-chashmi he inside a word, ye and bari ye, nun and nun ghunna, alef and alef madda; also Kurdish (kurdi) and
the verb "kar di", where splitting would merge them.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[ء-يٮ-ۓەۮۯۺ-ۿ]+")
_STEM = (
    "کر|ہو|جا|آ|دے|لے|رہ|بن|بنا|بتا|چل|چلا|مل|ملا|مر|لگ|لگا|پڑھ|پڑھا|لکھ|دیکھ|دکھا|سن|سنا|رکھ|کھا|پی|"
    "سو|بیٹھ|بول|سوچ|پوچھ|کہہ|نکل|نکال|اٹھ|اٹھا|گر|سمجھ|پہنچ|کھول|توڑ|چھوڑ|پکڑ|بیچ|خرید|بھیج|بچ|بچا|"
    "سیکھ|کھیل|بدل|روک|ہار|جیت|ڈال|کاٹ|اتر|گزر|"
    "پڑ|بڑھ|ٹھہر|ٹوٹ|مان|جان|چاہ|سک|پلا|پکا"
)
_NO_HAMZA_OF_ITS_OWN = "آبا|بقا|ثنا|حیا|دعا|دوا|شفا|غذا|فضا|وفا"  # not bina, sana, siwa: with hamza another word
_NOT_PLURAL = "سود|عقل|عمل|اعل|اول"  # aqla(n) is rationally, uqala wise people
_NO_HIATUS = "بپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنھہ"  # an e after one of these takes ye, after a vowel hamza

# Rules for one word, in this order, until nothing changes.
_WITHIN_WORD: tuple[tuple[str, str], ...] = (
    # hamza
    (r"^ھ(?=.)", "ہ"),  # aspiration needs a letter before it
    (r"ئ{2,}", "ئ"),
    (r"(?<=.)ہء$", "ۂ"),
    (r"(?<=.)یء$", "ئ"),
    (r"(?<=.)ؤ(?=(?:ی|ے|یں)$)", "وئ"),
    (r"([اآ])ئو", r"\1ؤ"),
    (r"^ہؤا$", "ہوا"),
    (r"^(آ|جا|لا)ؤ$", r"\1و"),
    (r"^(?=.{4})(?!رؤیا)(.*?)ؤ", r"\1و"),  # mo and rao have hamza or not in their own right
    (rf"^((?!(?:{_NOT_PLURAL})ا)...+ا|{_NO_HAMZA_OF_ITS_OWN})ء$", r"\1"),
    (r"(?<=.)ئ$", "ئی"),
    (r"(?<=[اآو])(?:یئے|ئیئے|ئئے)$", "ئیے"),
    (r"^(ش|ط|روپ)(?:ی?ئ|ی)ے$", r"\1ے"),
    (r"^شئی$", "شے"),
    (rf"(?<=[{_NO_HIATUS}])ی?ئی?ے$", "یے"),
    (r"^آے$", "آئے"),
    (r"(?<=.)اے$", "ائے"),
    (r"^چاہئیں$", "چاہییں"),
    (r"^ہوے$", "ہوئے"),
    (r"(?<=.)ایش(?=$|ی|یں$|وں$|گاہ)", "ائش"),
    (r"^(آ|نما|پا)یند", r"\1ئند"),
    # bari ye and nun ghunna only end words
    (r"(?<=[ےں])(?=[^ء])", " "),
    # future: karunga, karenge, jaega, karega, hoga
    (r"^(د|ل|ہ|[^ھ]{2,}|.{3,})ونگ(ا|ی|ے)$", r"\1وں گ\2"),
    (r"^(د|ل|[^ھ]{2,}|.{3,})ینگ(ے|ی)$", r"\1یں گ\2"),
    (r"(?<=[اآو])(?<!^ادا)ئیگ(ا|ی)$", r"ئے گ\1"),  # not adaigi, payment
    (rf"^({_STEM})یگ(ا|ی)$", r"\1ے گ\2"),
    (r"^دیگا$", "دے گا"),  # degi is of a cauldron; liga a league
    (r"^ہوگ(ا|ی|ے)$", r"ہو گ\1"),
    # verb and auxiliary
    (r"^(?!.ھس)(.{2,})(سکت[اےی]|سکتیں)$", r"\1 \2"),  # not khisakta
    (rf"^({_STEM})(سک(?:[اےی]|یں|وں|و)|رہ(?:[اےی]|یں|وں)|چک(?:[اےی]|یں))$", r"\1 \2"),
    (r"^(کر|ہو|آ|بن|مر|مل|چل|سو|رہ|لگ|گر|نکل)(گی(?:ا|ے)|گئ(?:ی|یں))$", r"\1 \2"),
    (r"^(ہو|آ|بن|مل|چل|کھا)(جا(?:ت[اےی]|تیں|ن[اےی]|ئے|ئیں|ئیے|یے|و|وں|ؤ|ؤں| ?رہ[اےی]))$", r"\1 \2"),
    (r"^(کر|بتا|بنا|رکھ|چل|چھوڑ|بھیج|دکھا|سنا|لگا|ملا|اٹھا)(د(?:ی(?:ا|ے|ں|ن[اےی]|ت[اےی]|جیے)|ے))$", r"\1 \2"),
    (r"^(کر|بنا|رکھ|سن|سیکھ|سمجھ|دیکھ|خرید|پکڑ)(ل(?:ی(?:ا|ے|ں|ن[اےی]|ت[اےی]|جیے)?|ے|و|وں))$", r"\1 \2"),
    (r"^(کر)(کے)$", r"\1 \2"),
    (r"^(ہو|جا|آ|دیکھ|سن|کھا|بنا|بتا|لگا|اٹھا|بیٹھ|رکھ|لکھ|پڑھ|مل|چل|سمجھ|سوچ)(کر)$", r"\1 \2"),
    (r"^لیکر$", "لے کر"),
    (r"^(?:دے|دی)دیا$", "دے دیا"),
    (r"^لیلیا$", "لے لیا"),
    (r"^دیکر$", "دے کر"),
    (r"^(.{2,}ت[اےی]|(?:.{2,})?رہ[اےی]|گیا|چک[اےی])(ہے|ہیں|ہوں|تھ[اےی]|تھیں)$", r"\1 \2"),
    # pronoun and postposition
    (r"^(اس|ان|جس|جن)(کا|کی|کے|کو|سے|نے|میں|پر)$", r"\1 \2"),
    (r"^(کس|ہم|تم|آپ)(کا|کی|کے|کو|سے)$", r"\1 \2"),
    (r"^(اس|جس|کس)(لیے|وقت|طرح|طرف)$", r"\1 \2"),
    (r"^(مجھ|تجھ)(کو|سے|پر|میں)$", r"\1 \2"),
    (r"^آپنے$", "آپ نے"),
    (r"^گھر(وال[اےی]|والوں)$", r"گھر \1"),
    (r"^کی(لیے|ساتھ|مطابق|بعد|بغیر)$", r"کے \1"),
    (r"^کی(وجہ|طرح|طرف|جانب)$", r"کی \1"),
    (r"^(کون|جون)س([اےی])$", r"\1 س\2"),
    (r"^(اب|جب|کب|یہاں|وہاں|جہاں)تک$", r"\1 تک"),
    (r"^آجکل$", "آج کل"),
    (r"^بی(وقوف|شک$|ہوش|چار[ہےی]|روزگار|گناہ|قرار|شمار$)", r"بے \1"),
    # one word, two spellings
    (r"^نھیں$", "نہیں"),
    (r"^رھ([اےی])$", r"رہ\1"),
    (r"^(ان|جن|کن)ھ(وں|یں|ی)$", r"\1ہ\2"),
    (r"^تمھ(یں$|ی$|ار[اےی]$)", r"تمہ\1"),
    (r"^(دول|چول|کول)ھ", r"\1ہ"),
    (r"^دلھن", "دلہن"),
    (r"گذ", "گز"),
    (r"پزیر", "پذیر"),
    (r"^بلکل$", "بالکل"),
    (r"^رحمن$", "رحمان"),
    (r"^الرحمن$", "الرحمان"),
    (r"^عبدالرحمن$", "عبدالرحمان"),
    (r"^اسمعیل$", "اسماعیل"),
    (r"^اسحق$", "اسحاق"),
    (r"^(امریک|افریق)ہ$", r"\1ا"),
    (r"^الحمدللہ$", "الحمد للہ"),
    (r"^سبحاناللہ$", "سبحان اللہ"),
    (r"^انشاء?اللہ$", "ان شاء اللہ"),
    (r"^ماشاء?اللہ$", "ما شاء اللہ"),
    (r"^شاء?اللہ$", "شاء اللہ"),
)
_RULES = tuple((re.compile(pattern), written) for pattern, written in _WITHIN_WORD)

# Words written apart as often as together.
_TOGETHER = (
    "کیوں کہ=کیونکہ|چوں کہ=چونکہ|حالاں کہ=حالانکہ|چناں چہ=چنانچہ|جب کہ=جبکہ|تا کہ=تاکہ|اگر چہ=اگرچہ|"
    "جوں ہی=جونہی|یوں ہی=یونہی|خوب صورت=خوبصورت|دل چسپ=دلچسپ|خوش گوار=خوشگوار|خوش حال=خوشحال|"
    "ایمان دار=ایماندار|دکان دار=دکاندار|سمجھ دار=سمجھدار|شان دار=شاندار|جان دار=جاندار|"
    "مال دار=مالدار|وفا دار=وفادار|ذمہ دار=ذمہدار|کام یاب=کامیاب|تن درست=تندرست|رہ نما=رہنما|"
    "راہ نما=راہنما|پیش کش=پیشکش|دست خط=دستخط|فی صد=فیصد|در اصل=دراصل|در حقیقت=درحقیقت|"
    "نا ممکن=ناممکن|نا کام=ناکام|علیہ و سلم=علیہ وسلم|عبد ال=عبدال"
)
_PHRASES = {
    **dict(pair.split("=") for pair in _TOGETHER.split("|")),
    "انشا اللہ": "ان شاء اللہ",
    "ماشا اللہ": "ما شاء اللہ",
    "ماشاء اللہ": "ما شاء اللہ",
    "ان شا اللہ": "ان شاء اللہ",
    "ما شا اللہ": "ما شاء اللہ",
}
_INFLECTED = ("دار", "صورت", "چسپ", "گوار", "حال", "یاب", "درست", "نما", "خط", "کام")
_ENDINGS = r"(?=(?:ی|یاں|یوں|وں|ئی|ؤں|انہ)?(?!\w))"  # dukan dar(i): the ending is looked at and stays
_PHRASE = re.compile(
    "|".join(
        rf"(?<!\w){phrase}" + ("" if phrase == "عبد ال" else _ENDINGS if phrase.endswith(_INFLECTED) else r"(?!\w)")
        for phrase in sorted(_PHRASES, key=len, reverse=True)
    )
)


def one_spelling(text: str) -> str:
    """Text in Urdu code points with every word in one of its spellings; idempotent.

    Example:
        >>> one_spelling("اسکو جائیگا نہیں کرسکتا کیلئے")
        'اس کو جائے گا نہیں کر سکتا کے لیے'
    """
    text = _WORD.sub(lambda word: _respelt(word.group()), text)
    return _PHRASE.sub(lambda phrase: _PHRASES[phrase.group()], text)


@lru_cache(maxsize=65536)
def _respelt(word: str) -> str:
    if len(word) > 24:  # no word of Urdu; keeps hostile texts cheap
        return word
    for pattern, written in _RULES:
        respelt = pattern.sub(written, word)
        if respelt != word:
            return " ".join(map(_respelt, respelt.split(" ")))
    return word
