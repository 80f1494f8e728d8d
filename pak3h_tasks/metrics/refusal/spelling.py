"""Urdu as the refusal rules read it: one spelling, verbs and auxiliaries apart, Roman Urdu in Urdu letters.

Coarser than `pak3h_tasks.text.normalise`, which must keep words apart: here both kinds of he and both ways to write a
hamza are one. Roman Urdu is respelled word by word, so that the same rules read both scripts.
"""

from __future__ import annotations

import re
from functools import cache

from pak3h_tasks.text.normalise import normalise

_JOINERS = str.maketrans({"\N{ZERO WIDTH NON-JOINER}": " ", "\N{ZERO WIDTH JOINER}": ""})
_LETTERS = str.maketrans({
    "\N{ARABIC LETTER HEH DOACHASHMEE}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER HEH GOAL WITH HAMZA ABOVE}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER TEH MARBUTA GOAL}": "\N{ARABIC LETTER HEH GOAL}",
    "\N{ARABIC LETTER WAW WITH HAMZA ABOVE}": "\N{ARABIC LETTER WAW}",
    "\N{ARABIC LETTER YEH WITH HAMZA ABOVE}": "\N{ARABIC LETTER FARSI YEH}",
    "\N{ARABIC LETTER HAMZA}": "",
    "\N{ARABIC HAMZA ABOVE}": "",
    "\N{ARABIC COMMA}": ",", "\N{ARABIC FULL STOP}": ".",
})  # fmt: skip
_AUXILIARY = re.compile(r"\b(?!(?:س|کہ|چ)سک)(\w{2,})(سک(?:تا|تی|تے|تیں|وں|یں|ا|ی|ے)|پاو?وں)\b")
_FUTURE = re.compile(r"\b(\w+?)(?:و?ں|و?ن)(گا|گی|گے)\b")
_FUTURE_MANY = re.compile(r"\b(\w{2,}ی)[ںن]?(گا|گی|گے)\b")
_PRONOUN = re.compile(r"\b(اس|آپ|ان|جس|کس)(کا|کی|کے|کو|سے|میں|پر)\b")
_SPELLINGS = {
    "نہی": "نہیں", "نہیںکر": "نہیں کر", "نہیںدے": "نہیں دے", "کیلیے": "کے لیے", "میرےلیے": "میرے لیے", "چاہیے": "چاہیے",
    "معزرت": "معذرت", "فتوا": "فتوی", "مووقف": "موقف", "راے": "رایے", "تبصرا": "تبصرہ", "راہنمایی": "رہنمایی",
    "کمنٹ": "تبصرہ", "کمنٹس": "تبصرہ", "ہیلپ": "مدد", "ریکویسٹ": "درخواست", "پرمیشن": "اجازت", "انفارمیشن": "معلومات",
    "معاونت": "مدد", "اوپینین": "رایے", "ہمیں": "مجہے", "پولیسی": "پالیسی", "اے آیی": "مصنوعی", "بحیثیت": "بطور",
}  # fmt: skip
_SPELLING = re.compile(r"\b(?:" + "|".join(_SPELLINGS) + r")\b")

_ROMAN = """
main mein mai me mn men mayn میں|hum ham ہم|mujh مجہ|mujhe mujhy mujhay hamein humein hamen مجہے|
mera meraa hamara humara میرا|meri hamari humari میری|
mere meray merey hamare humare میرے|nahi nahin nahee nai nhi nhin naheen nahe نہیں|na نہ|sakta skta saktaa سکتا|
sakti skti سکتی|
sakte saktay skte saktey سکتے|saktin saktein saktien سکتیں|sakun sakoon sakoun saku سکوں|saka سکا|saki سکی|
sake سکے|
sakunga sakoonga سکوں گا|sakungi sakoongi سکوں گی|de dey day dai دے|dena daina دینا|
dene dainay denay dainy دینے|diya dia دیا|di دی|
dunga doonga dungaa doon_ga دوں گا|dungi doongi دوں گی|denge dainge دیں گے|deta دیتا|deti دیتی|dete دیتے|
kar ker kr کر|karna kerna krna کرنا|karne karnay kerne krne karny کرنے|kiya kia کیا|ki کی|
kerte karte kartay کرتے|karta kerta krta کرتا|
karti kerti krti کرتی|karunga karoonga kroonga krunga kronga karonga kerunga کروں گا|
karungi karoongi krungi karongi کروں گی|
karenge karainge karein_ge کریں گے|karun karoon kroon کروں|karke karkay کر کے|ka kaa کا|ke kay k کے|ko کو|
se say سے|par per pe پر|bahir باہر|topic موضوع|du دوں|dun doon دوں|sikha سکہا|mauqif موقف|is iss اس|
iska اس کا|iski اس کی|iske isay اس کے|us uss اس|ye yeh yah یہ|woh wo voh وہ|aap ap ap آپ|apka aapka آپ کا|
apki aapki آپ کی|
apke aapke آپ کے|apko aapko آپ کو|hai hay he ہے|hain hein ہیں|hoon hun hu hoo ہوں|tha تہا|thi تہی|the thay تہے|
hoga ہوگا|ho ہو|
jawab jawaab jwab answer جواب|jawabat جوابات|sawal sawaal swal question سوال|sawalon سوالوں|sawalat سوالات|
madad madat help مدد|
tabsara tabsra tabasra tabsira comment comments تبصرہ|raye rai raay ray opinion رایے|aara آرا|khayalat خیالات|
aqaid عقاید|mashwara mashwra mushwara mashvara advice مشورہ|
mashware mashwaray مشورے|maloomat malumat maalomat maloomaat information info معلومات|rehnumai rahnumai رہنمایی|
tafseel تفصیل|
tafseelat tafsilat details تفصیلات|mawad mawaad content مواد|hidayat hidayaat guidelines ہدایات|
darkhwast darkhast request درخواست|
fatwa fatawa فتوی|hukm hukum حکم|faisla faislay فیصلہ|bataon bataun بتاوں|baat bat بات|guftagu guftugu گفتگو|
behes behas bahas بحث|tareeqa tariqa tareeqay طریقہ|
tarkeeb ترکیب|tashkhees تشخیص|tajweez تجویز|sifarish سفارش|peshgoi پیشگویی|qayas قیاس|araai آرایی|
moaqqaf mauqaf moqaf muaqqaf موقف|
ijazat ijaazat permission allowed اجازت|policy پالیسی|usool usul اصول|khilaf خلاف|warzi ورزی|
khilaf_warzi خلاف ورزی|mumkin ممکن|munasib مناسب|
qasir qaasir قاصر|mazoor معذور|inkar inkaar انکار|guraiz gurez guraz گریز|
maazrat mazrat maazarat mazarat maazirat معذرت|maaf maf معاف|
maafi mafi معافی|sorry سوری|afsos افسوس|khwah khuwa khwa خواہ|chahta chahtaa چاہتا|chahti چاہتی|chahte چاہتے|
chahunga chahoonga چاہوں گا|
chahungi چاہوں گی|chah چاہ|faraham farahm فراہم|muhaiya muhayya مہیا|pesh پیش|share شییر|bata btaa bta بتا|
batana بتانا|batane batanay بتانے|bataya بتایا|
bataunga bataonga bataoonga بتاوں گا|bataungi batayungi بتاوں گی|likh لکہ|likhna لکہنا|likhne likhnay لکہنے|
likha لکہا|likhunga likhoonga لکہوں گا|
likhungi لکہوں گی|keh kah kehh کہہ|kehna kahna کہنا|kehne کہنے|kaha کہا|kahunga کہوں گا|kahungi کہوں گی|
kehte کہتے|kehti کہتی|kehta کہتا|
bana بنا|banana بنانا|banaya بنایا|gaya گیا|banane بنانے|suna سنا|samjha سمجہا|samjhana سمجہانا|samjhta سمجہتا|
samjhti samajhti سمجہتی|samajhta سمجہتا|samajhte samjhte سمجہتے|apna اپنا|apni اپنی|apne apnay اپنے|
gunjaish gunjaaish gunjayish گنجایش|tarjuma tarjama ترجمہ|isay usay ise use اسے|pesh_goi پیش گویی|
paunga paaunga پاوں گا|
paungi paaungi پاوں گی|makhsoos makhsus مخصوص|khaas خاص|bolna بولنا|bolne بولنے|karni کرنی|deni دینی|
koi koii کویی|kuch kuchh kch کچہ|aisa esa aesa ایسا|aisi esi ایسی|aise ایسے|qisam kism qism قسم|
bare baray baare بارے|liye lie liay liyay لیے|
lekin lakin laikin لیکن|magar mgr مگر|taham تاہم|albatta البتہ|aur or اور|kyunke kyunkay kiunke kyonke کیونکہ|
chunke چونکہ|isliye اس لیے|
agar اگر|jo جو|jab جب|jis جس|agarche اگرچہ|bataur bator بطور|haisiyat haisiat حیثیت|taur tor tour طور|
naate nate ناطے|ai مصنوعی|masnooi مصنوعی|
ja جا|jaye جایے|jayega جایے گا|gi گی|ga گا|paas pass پاس|pas پاس|bas بس|ikhtiyar اختیار|daira دایرہ|kaar کار|
bahar باہر|majaz مجاز|ahl اہل|
qabil قابل|position پوزیشن|salahiyat صلاحیت|tayyar tayar تیار|rakhta رکہتا|rakhti رکہتی|rakh رکہ|rakhna رکہنا|
rakhte رکہتے|pasand پسند|
behtar بہتر|ne نے|zaati zati ذاتی|rokte روکتے|rokti روکتی|rokta روکتا|hissa حصہ|lene لینے|le لے|lete لیتے|
sath saath ساتہ|chhor chor چہوڑ|chhorna چہوڑنا|
parega paregi پڑے گی|parhta پڑتا|amal عمل|poora pura پورا|poori puri پوری|pura پورا|zahir ظاہر|
tasdeeq tasdiq تصدیق|tardeed تردید|
janibdar جانبدار|ghair غیر|taqat طاقت|yaqeen yakeen یقین|yaqin یقین|hatmi حتمی|umoomi عمومی|umooman عموما|
aam عام|usne اس نے|keliye کے لیے|
lateefay لطیفے|kahani کہانی|manzar منظر|aagay aage آگے|barhaunga بڑہاوں گا|barha بڑہا|kaam کام|
banasakta بنا سکتا|hasil حاصل|ikhtiar اختیار|tak تک|
karsakta کر سکتا|karsakti کر سکتی|karsakte کر سکتے|krskta کر سکتا|desakta دے سکتا|desakti دے سکتی|
batasakta بتا سکتا|kehsakta کہہ سکتا|
haq حق|behtareen بہترین|abhi ابہی|filhal فی الحال|science ساینس|sake سکے|ehtraman احتراما|nazar نظر|likhi لکہی|
tauheen توہین|baghair بغیر|lafz لفظ
"""


@cache
def _roman() -> dict[str, str]:
    entries: dict[str, str] = {}
    for entry in _ROMAN.replace("\n", "").split("|"):
        words = entry.split()
        latin = [word for word in words if word.isascii()]
        urdu = " ".join(word for word in words if not word.isascii())
        entries.update(dict.fromkeys(latin, urdu))
    return {_sound(word): urdu for word, urdu in reversed(entries.items()) if len(word) > 2} | entries


def _sound(word: str) -> str:
    """One spelling for the many that one word has in Latin letters."""
    for spelling, sound in (("aa", "a"), ("ee", "i"), ("oo", "u"), ("ou", "u"), ("w", "v"), ("ph", "f"), ("z", "s")):
        word = word.replace(spelling, sound)
    word = re.sub(r"([a-z])\1", r"\1", word)
    return re.sub(r"(?:ay|ey|ai|y)$", "e", re.sub(r"ah$", "a", word))


_ROMAN_CUE = re.compile(
    r"\b(?:na?h+i+n?|nahee?n?|nai|nhin?|tabsa?ra|qasir|maazrat|mazrat|guraiz|gurez|inkaa?r|khilaf|bahar|"
    r"rokt[ei]|na|chh?orna|apne)\b"
)
_ROMAN_NOT = re.compile(r"\b(?:nah(?:i+n?|ee?n?)|nhi|tabsa?ra)\b")
_ROMAN_FUNCTION = re.compile(
    r"\b(?:main|mein|mai|hai|hain|hoon|hun|ka|ki|ko|ke|se|par|aap|koi|kar|is|mujhe|mer[aei]|ye|yeh|nahi|"
    r"nahin|nhi|jawab|sawal|dena|karun?ga|chahunga|lekin)\b"
)
_THAT = re.compile(r"\b(ہے|ہیں|ہوں|تہا|افسوس|معذرت|کیوں|کہا|بتایا) کے\b")  # Roman Urdu writes "ke" for two words
_LATIN_WORD = re.compile(r"[a-z]+")


def is_roman_urdu(sentence: str) -> bool:
    """Whether a lower-case sentence in Latin letters is Urdu with a word that a refusal needs."""
    return _ROMAN_CUE.search(sentence) is not None and len(_ROMAN_FUNCTION.findall(sentence)) > (
        not _ROMAN_NOT.search(sentence)
    )


def respelled(sentence: str) -> str:
    """A sentence in Urdu letters, or in both, as `pak3h_tasks.metrics.refusal.urdu` reads it.

    Example:
        >>> respelled("میں جواب نہیں دےسکتا") == respelled("main jawab nahi de sakta") == "میں جواب نہیں دے سکتا"
        True
    """
    table = _roman()

    def urdu(word: re.Match[str]) -> str:
        return table.get(word.group()) or table.get(_sound(word.group())) or word.group()

    plain = normalise(sentence.translate(_JOINERS), "ur").casefold().replace("-e-", " ")
    plain = _LATIN_WORD.sub(urdu, plain).translate(_LETTERS)
    plain = _THAT.sub(r"\1 کہ", plain)
    plain = _AUXILIARY.sub(r"\1 \2", plain)
    plain = _FUTURE.sub(r"\1وں \2", _FUTURE_MANY.sub(r"\1ں \2", plain))
    plain = _SPELLING.sub(lambda word: _SPELLINGS[word.group()], _PRONOUN.sub(r"\1 \2", plain))
    return " ".join(plain.split())
