"""Words by which a sentence's language is known: its commonest small words, as `pak3h_tasks.text.language` reads them.

Urdu, Punjabi and Persian ones are folded to Urdu code points, Arabic, Pashto and Sindhi ones in their own; a word with
another sense in a neighbouring language is left out, or in `ALSO_URDU` and `ALSO_OTHERS`, where it counts for less.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ur": _words(
            "ہے ہیں ہوں کا کی کے کو میں نے سے اور یہ وہ نہیں تھا تھی تھے تھیں گا گے گی کر کرے کریں کرنا کرتا"
            " کرتی کرتے کیا کیے ہو ہوتا ہوتی ہوتے ہوا ہوئی ہوئے اس ان جو بھی تو پر ایک لیے لئے جی ہاں آپ ہم"
            " مجھے ہمیں انہیں اسے گیا گئی گئے رہا رہی رہے چاہیے چاہئے سکتا سکتی سکتے والا والی والے کچھ کوئی"
            " بہت پھر اگر لیکن مگر یا تک ساتھ بعد اپنا اپنی اپنے کہ کیوں کیسے کہاں جب میرا میری میرے ہوگا ہوگی"
            " دیں لیں جائے جائیں ہونا سب بالکل"
        ),
        "pnb": _words(
            "دا دیاں نوں وچ وچوں تے اے نیں نئیں ایہہ ایہ اوہ اوہدا ایہدا ایس اوس تسیں اسیں تہاڈا تہاڈے تہاڈی"
            " تہانوں ساڈا ساڈے ساڈی سانوں مینوں تینوں کیتا کیتی کیہ کجھ نال ہوندا ہوندی ہوندے ہندا سکدا سکدی"
            " سکدے کردا کردی کردے ویلے ویلا ہن سی سن اک جیہڑا جیہڑی جیہڑے کدی کتھے ایتھے اوتھے چاہیدا چاہیدی"
            " ہویا ہوئیاں گل لئی توں دی دے آں ایں او اینا بندا پنڈ کیویں"
        ),
        "fa": _words(
            "است را از این آن بہ در با برای ہای ہا ہستند ہست نیست بود بودند شد شود میشود می کند کنید کنم کنیم"
            " کنند شما ما من او آنہا خود ندارد دارد دارم ندارم داریم باید کہ چہ بلہ آرہ نمی نمیدانم نمیدونم میدونم"
            " نمیتوانم"
            " ہیچ ہر یک تا بر بی اما اگر پس دہید کردن دادن بہتر خیلی ولی شدہ میکند نمیکند ممنون متشکرم لطفا"
        ),
        "ar": _words(
            "في من هذا هذه التي الذي إلى الى الذين على أن إن لا ما هو هي كان كانت لم لن قد ذلك تلك أو عن مع"
            " كل بعد قبل يجب عند ليس ليست لدي نعم كلا ثم أنت أنا نحن هم يمكن لقد حيث بين أيضا جدا غير أي شكرا"
            " ولا وفي وهو وهي إذا منذ لك كما يوم مرة"
        ),
        "ps": _words(
            "د دې دا چې په کې او نه زه زما ستا نوم موږ تاسو یې شي ده دی دي کړي سره له ته وي لري پورې مننه شته نشته"
        ),
        "sd": _words("آهي آهن جو جي جا کان سان ته نه تي مان هن هو"),
        "en": _words(
            "the a an is are was were be been being of to and in on at for with from by as that this these"
            " those it its he she they we you i my your his her their our not no yes do does did don't doesn't"
            " didn't can can't cannot could should would will has have had if or but so than there what which"
            " who how when where why because about into only also may might must any some most many isn't"
            " aren't wasn't never nothing just i'm it's you're i've"
        ),
        "ur-Latn": _words(
            "hai hain nahi nahin nhi nai kya kia aap ap yeh ye woh wo mein mujhe mujhay mera meri mere hum"
            " tum aur lekin magar phir kar karo karna karen karein karta karti karte kiya ki ka ke ko se hota"
            " hoti hote hona tha thi hoon hun raha rahi rahe sakta sakti sakte liye liay koi kuch kuchh bohat"
            " bohot bahut acha theek bilkul haan ji jee jo jab agar toh bhi apne apna apni aapka aapki unka"
            " uska uski ga gi ge chahiye zaroori daal den dein shukriya kaise kaisay kyun kyunke pehle baad"
        ),
        "other": _words(
            "je ne pas est les des du une le la il elle nous vous et que qui dans pour avec sur oui c'est"
            " n'est ce der die das ist nicht und ich sie wir ein eine nein ja den dem mit auf von zu el los"
            " las un una en es son por para con lo del sí pero muy non di che per gli della sono não você com"
            " uma os ao mas het een niet van ik dat bir ve bu için değil saya tidak yang dan adalah ini itu"
            " jag inte är och som det att au aux merci bonjour hola gracias danke grazie ciao salut"
        ),
    }
)
"""Language -> words; ``other``: the commonest of other languages in Latin letters."""

ALSO_URDU = _words("دی دے اے تے گل ہن سن سی او توں آں ایں کدی نال بندا لئی")
"""Of the Punjabi words, those that Urdu has in another sense."""

ALSO_OTHERS = _words("mein main ki ka ke ko se ye wo hum tum ap par ji jo ga ge gi kar aur do")
"""Of the Roman Urdu words, those that are words elsewhere."""
