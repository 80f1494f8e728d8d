"""Roman Urdu in Urdu letters, as far as the rules for refusals need it: nobody agrees how to spell it.

Short words stand in a table; forms of the verbs are made; a longer word is recognised by its consonants, as Urdu writes
hardly any vowels either: mazrat, maazrat and ma'azirat are all معذرت.
"""

from __future__ import annotations

import re
from functools import cache

from pak3h_tasks.metrics.refusal.words import VOCABULARY

_SHORT = """
main mein mai me mn men mayn میں|hum ham ہم|mujh مجہ|mujhe mujhy mujhay hamein humein hamen مجہے|
mera meraa hamara humara میرا|meri hamari humari میری|mere meray merey hamare humare میرے|
nahi nahin nahee nai nhi nhin naheen nahe نہیں|na نہ|saku سکوں|saka سکا|saki سکی|sake سکے|diya dia دیا|
di دی|kr کر|kiya kia کیا|ki کی|ka kaa کا|ke kay k کے|ko کو|se say سے|par per pe پر|
bahir bahar baahar باہر|topic موضوع|is iss us uss اس|iska اس کا|iski اس کی|iske اس کے|ye yeh yah یہ|
woh wo voh وہ|aap ap آپ|apka aapka آپ کا|apki aapki آپ کی|apke aapke آپ کے|apko aapko آپ کو|
hai hay he ہے|hain hein ہیں|hoon hun hu hoo ہوں|tha تہا|thi تہی|the thay تہے|hoga ہوگا|ho ہو|
jawab jawaab jwab answer جواب|sawal sawaal swal question سوال|madad madat help مدد|
comment comments تبصرہ|raye rai raay ray raae opinion رایے|aara آرا|aqaid عقاید|aqeeda عقیدہ|
advice مشورہ|information info معلومات|details تفصیلات|mawad mawaad content مواد|hidayat hidayaat ہدایات|
request درخواست|fatwa fatawa فتوی|hukm hukum حکم|baat bat بات|behes behas bahas بحث|qayas قیاس|
araai آرایی|permission allowed اجازت|policy پالیسی|usool usul اصول|warzi ورزی|maaf maf معاف|
maafi mafi معافی|sorry سوری|afsos افسوس|khwah khuwa khwa خواہ|muhaiya muhayya مہیا|pesh پیش|share شییر|
bataya بتایا|likha لکہا|kaha کہا|banaya بنایا|gaya گیا|jata جاتا|jati جاتی|jate جاتے|apna اپنا|
apni اپنی|apne apnay اپنے|usay ise isay use use اسے|khaas خاص|koi koii کویی|kuch kuchh kch کچہ|
aisa esa aesa ایسا|aisi esi ایسی|aise ایسے|bare baray baare بارے|liye lie liay liyay لیے|taham تاہم|
aur or اور|isliye اس لیے|agar اگر|jo جو|jab جب|jis جس|haisiyat haisiat حیثیت|taur tor tour طور|
naate nate ناطے|ai مصنوعی|ja جا|jaye جایے|jayega جایے گا|gi گی|ga گا|paas pass pas پاس|bas بس|
daira دایرہ|daire دایرے|kaar کار|hadood حدود|had حد|ahl اہل|position پوزیشن|tayyar tayar تیار|ne نے|
zaati zati ذاتی|hissa حصہ|sath saath ساتہ|chhor chor چہوڑ|amal عمل|poora pura پورا|poori puri پوری|
zahir ظاہر|ghair غیر|yaqeen yakeen yaqin یقین|hatmi حتمی|umoomi عمومی|umooman عموما|aam عام|usne اس نے|
keliye کے لیے|kahani کہانی|aagay aage آگے|kaam کام|hasil حاصل|tak تک|haq حق|abhi ابہی|filhal فی الحال|
science ساینس|ehtraman ehtaraman احتراما|likhi لکہی|tauheen توہین|raha رہا|rahi رہی|rahe رہے|kis کس|
kisi کسی|kyun kiun کیوں|to tou تو|bhi بہی|hi ہی|khud خود|naam نام|pata پتا|raaz راز|
paunga paaunga پاوں گا|paungi paaungi پاوں گی|paun پاوں|pa پا|wala والا|wali والی|
achha acha achcha اچہا|theek thek ٹہیک|sahih sahi صحیح|haal حال|wajah وجہ|yahan yahaan یہاں|
jaga jagah جگہ|koshish کوشش|bina بغیر|sirf صرف|ahem اہم|aayiye aaiye aiye آییے|chaliye chaliey چلیے|
chalein chalen چلیں|jayegi jaegi جایے گی|jayenge جاییں گے|jayengi جاییں گی|hudood hudud حدود|
assistant اسسٹنٹ|sakein sakain سکیں|dosra doosra doosre dusre دوسرے|provide فراہم|fulfil fulfill پورا|
khilaaf خلاف|saza سزا|hona ہونا|hone ہونے|baz baaz باز|sakat سکت|ajiz aajiz عاجز|usuli اصولی|
usoolon usulon اصولوں|adab ادب|neutral غیر جانبدار|bayan بیان|jana جانا|jane جانے|
zyada zyaada ziada زیادہ|tar تر|aksar اکثر|door dur دور|gayi gai گیی|wazahat وضاحت|gawah گواہ|log لوگ|
bacha بچہ|bache bachay بچے|mansab منصب|saktin saktein saktien sakteen سکتیں|chahiye chahie چاہیے|
wada waada وعدہ|bola بولا|boli بولی|bole بولے|poocha pucha پوچہا|ada ادا|mauzu mauzoo mozu موضوع|
pare paray parey پڑے|parega پڑے گا|
mana منع|sekh seekh sikh سیکہ|file filein files فایل|link links لنک|web ویب|email ای میل|audio آڈیو|video ویڈیو|
dukh دکہ|dard درد|gham غم|hoti ہوتی|hota ہوتا|hote ہوتے|jin جن|hui hue hua ہوی|radd رد|mamnu ممنوع|
aamada amada آمادہ|tasveer tasvir تصویر|musbat مثبت|namanzoor namanzur نامنظور|jatin jatein جاتیں|
rasai rasaai رسایی|sunne سننے|khol کہول|kholne کہولنے|
parun پڑوں|parunga پڑوں گا|parungi پڑوں گی|
paregi پڑے گی
"""
_ROOTS = {
    "kar ker kr": "کر", "sak sk": "سک", "bata bta": "بتا", "likh": "لکہ", "suna": "سنا", "keh kah": "کہ",
    "bana": "بنا", "samjha": "سمجہا", "samajh samjh": "سمجہ", "sikha": "سکہا", "dikha": "دکہا",
    "bhej": "بہیج", "dila": "دلا", "rakh": "رکہ", "bol": "بول", "barha": "بڑہا", "chah": "چاہ",
    "chhap chap": "چہاپ", "parha": "پڑہا", "par": "پڑ", "chhor chor": "چہوڑ", "nikal": "نکال",
    "dohra duhra": "دہرا", "rok": "روک", "reh rah": "رہ", "ura": "اڑا", "soch": "سوچ", "maan": "مان",
    "jaan": "جان", "de dai": "دی", "le": "لی", "sarah": "سراہ", "ghar": "گہڑ", "laga": "لگا",
    "mita": "مٹا", "uth": "اٹہ", "utha": "اٹہا", "chala": "چلا", "badal": "بدل", "khol": "کہول",
    "dhoond": "ڈہونڈ", "pooch": "پوچہ",
}  # fmt: skip
_SUFFIXES = {"na": "نا", "ne": "نے", "ni": "نی", "ta": "تا", "ti": "تی", "te": "تے"}
_CONSONANTS = {
    **dict.fromkeys("خکق", "k"),
    **dict.fromkeys("غگ", "g"), "ش": "S", "چ": "C", "ج": "j", **dict.fromkeys("زذضظژ", "z"),
    **dict.fromkeys("سصث", "s"), **dict.fromkeys("تٹط", "t"), **dict.fromkeys("دڈ", "d"), **dict.fromkeys("رڑ", "r"),
    **dict.fromkeys("نں", "n"), "ل": "l", "م": "m", "ب": "b", "پ": "p", "ف": "f",
}  # fmt: skip
_VOWELS = {"ا": "a", "آ": "a", "و": "u", "ؤ": "u", "ی": "i", "ے": "i", "ئ": "i"}
_DIGRAPHS = (("sh", "S"), ("ch", "C"), ("kh", "k"), ("gh", "g"), ("ph", "f"), ("q", "k"), ("x", "ks"), ("h", ""))
_LATIN_VOWELS = str.maketrans({"e": "i", "y": "i", "o": "u", "w": "u", "v": "u", "'": None})
_LATIN_WORD = re.compile(r"[a-z]+")
_JOINED = re.compile(r"\b([a-z]{2,}?)(sak(?:ta|ti|te|un)\w*|skt[aie])\b")
_ENGLISH_TOO = {"is", "main", "hum", "par", "se", "na", "us"}
# Two of these make a sentence Roman Urdu, unless English has both.
_FUNCTION = re.compile(
    r"\b(?:mein|mai|hai|hain|hoon|hun|ka|ki|ko|ke|se|aap|koi|kar|mujhe|mer[aei]|hamar[aei]|yeh?|"
    r"nah(?:i+n?|ee?n?)|nhi|na|jawab|sawal|"
    r"dena|kar(?:na|ne|ta|ti|te|un)|lekin|magar|sakt[aie]|sakun|chaht[aie]|maazrat|mazrat|maaf|"
    r"kuch|par|aur|is|hum|main|raye|"
    r"[a-z]{2,}[uo]ng[aie]|(?:de|le|kar)sakt[aie]|tabs[a-z]*ra|madad|baat|afsos|ijazat|darkhwast|mauzu)\b"
)


def is_roman_urdu(sentence: str) -> bool:
    """Whether a lower-case sentence in Latin letters is Urdu."""
    words = set(_FUNCTION.findall(sentence))
    return len(words) > 1 and not words <= _ENGLISH_TOO


def in_urdu_letters(sentence: str) -> str:
    """A lower-case sentence with its Roman Urdu words in Urdu letters, one kind of he; other words stay."""
    return _LATIN_WORD.sub(
        _urdu, _JOINED.sub(r"\1 \2", sentence.replace("-e-", " ").replace(" na-", " na").replace("'", ""))
    )


def _urdu(found: re.Match[str]) -> str:
    word = found.group()
    short, verbs, longer = _tables()
    known = short.get(word) or verbs.get(_sound(word))
    if known is not None or len(word) < 4:
        return known or word
    plain = _plain(word)
    candidates = longer.get(_consonants(plain), ())
    return next(
        (urdu for spelled, urdu in candidates if spelled.fullmatch(plain)), candidates[0][1] if candidates else word
    )


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], dict[str, list[tuple[re.Pattern[str], str]]]]:
    short: dict[str, str] = {}
    for entry in _SHORT.replace("\n", "").split("|"):
        words = entry.split()
        short |= dict.fromkeys(
            (word for word in words if word.isascii()), " ".join(w for w in words if not w.isascii())
        )
    verbs: dict[str, str] = {}
    for spellings, root in _ROOTS.items():
        for latin in spellings.split():
            verbs |= {_sound(latin + suffix): root + urdu for suffix, urdu in _SUFFIXES.items()}
            stem, first = (latin[:-1], root[:-1]) if root in ("دی", "لی") else (latin, root)
            for vowel in ("u", "o"):
                verbs[_sound(f"{stem}{vowel}n")] = f"{first}وں"
                verbs[_sound(f"{stem}{vowel}nga")] = f"{first}وں گا"
                verbs[_sound(f"{stem}{vowel}ngi")] = f"{first}وں گی"
            verbs[_sound(f"{stem}enge")] = verbs[_sound(f"{stem}ainge")] = f"{first}یں گے"
            verbs[_sound(f"{stem}ein")] = first + ("ییں" if first[-1] == "ا" else "یں")
            if first[-1] == "ا":
                verbs |= {
                    _sound(latin + end): root + urdu for end, urdu in {"ya": "یا", "yi": "یی", "ye": "یے"}.items()
                }
            if len(latin) > 2 and root not in ("سک", "دی"):
                verbs[_sound(latin)] = "کہہ" if root == "کہ" else root
    longer: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for word in VOCABULARY:
        spelled, consonants = _spelled(word)
        if len(consonants) > 2:
            longer.setdefault(consonants, []).append((spelled, word))
    short |= {"de": "دے", "dey": "دے", "day": "دے", "le": "لے", "doon": "دوں", "dun": "دوں"}
    return short, verbs, longer


def _plain(latin: str) -> str:
    """A word in Latin letters with one letter for each consonant and a, i, u for all vowels."""
    for spelling, sound in _DIGRAPHS:
        latin = latin.replace(spelling, sound)
    return re.sub(r"(.)\1+", r"\1", latin.translate(_LATIN_VOWELS))


def _consonants(plain: str) -> str:
    return re.sub(r"(.)\1+", r"\1", re.sub("[aiu]", "", plain))


def _spelled(urdu: str) -> tuple[re.Pattern[str], str]:
    """How Latin letters spell a word (as `_plain`), long vowels always, short ones perhaps; and its consonants."""
    pattern, between, consonants = "", "", ""
    for letter in urdu[0].replace("ا", "") + urdu[1:-1] + urdu[-1].replace("ہ", "ا"):  # a first alif bears any vowel
        if letter in _CONSONANTS:
            pattern += (f"[aiu]*{between}" if between else "[aiu]{0,2}") + _CONSONANTS[letter]
            consonants += _CONSONANTS[letter]
            between = ""
        elif letter in _VOWELS:
            between += _VOWELS[letter] + "[aiu]*"
    return re.compile(re.sub(r"(.)\1+", r"\1", pattern) + (between or "[aiu]?")), re.sub(r"(.)\1+", r"\1", consonants)


def _sound(word: str) -> str:
    """One spelling for the many that one word has in Latin letters."""
    for spelling, sound in (("aa", "a"), ("ee", "i"), ("oo", "u"), ("ou", "u"), ("w", "v"), ("ph", "f"), ("z", "s")):
        word = word.replace(spelling, sound)
    word = re.sub(r"([a-z])\1", r"\1", word)
    return re.sub(r"(?:ay|ey|ai|y)$", "e", re.sub(r"ah$", "a", word))
