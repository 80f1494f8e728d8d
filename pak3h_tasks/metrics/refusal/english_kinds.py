"""What an English sentence says when it refuses, by kind: first person x negated ability or will x an act."""

from __future__ import annotations

from pak3h_tasks.metrics.refusal.english_acts import ACT, ING, OPEN
from pak3h_tasks.metrics.refusal.kinds import Kind, compiled

_I = r"\b(?:i|we|this (?:ai|assistant|model|chatbot|bot|tool|system|service)|the assistant)"
_WE = r"(?:i|we)"
_BE = r"(?:'m| am|'re| are| is| was (?:built|designed|made|created|trained|programmed))"
_ADVERBS = (
    r"(?: (?:\w+ly|also|simply|just|not|therefore|either|still|here|have to|must|in good "
    r"conscience|ever|at this time|"
    r"currently|would|will|should|can))*"
)
_CANNOT = (
    rf"(?: (?:really|simply|just|also|therefore|still|unfortunately) )? ?(?:cannot|can't|can not|"
    rf"cant|can never|could never|couldn't possibly|"
    rf"(?:do not|don't|does not|lack|have no)(?: have)?(?: the)? (?:\w+ )?(?:ability|capacity|"
    rf"competence|expertise|means) to"
    rf"|(?:find|found) myself unable to)"
    rf"|{_BE}(?: \w+)? (?:unable|(?:not|un)\s?(?:really |currently )?(?:able|programmed|designed|"
    rf"built|made|trained|created|meant|"
    rf"intended|qualified|equipped|here|in a position|the right \w+)) to|{_BE}(?: \w+)? in no position to"
    rf"|(?: was|'ve been| have been)(?:n't| not) (?:programmed|designed|built|made|trained|created|"
    rf"meant|intended) to"
)
_WILL_NOT = (
    r"(?: (?:simply|just|also|therefore|still|absolutely|certainly|definitely))?(?: won't| will "
    r"not|'ll not| shan't|"
    r" will never)(?: be able to)?|'d rather not| (?:would|had) rather not|(?: would|'d)? "
    r"(?:strongly )?prefer not to"
    r"| (?:would )?choose not to| (?:do not|don't) (?:\w+ )?(?:want|wish|intend|plan|care) to"
    rf"| (?:would not|wouldn't|do not|don't) (?:like|care|want|feel able|feel right) to"
    rf"|{_BE}(?: \w+)? (?:unwilling|not (?:going|willing|prepared|inclined|ready|about)) to| have "
    rf"no (?:intention|plans?) to"
    r"|(?: must| have to| need to| will have to|'ll have to)?(?: \w+ly)? (?:refuse|decline) to"
)
_MAY_NOT = (
    r" (?:must|may|should|shall)(?: not|n't)|"
    rf"{_BE}(?: \w+)? not (?:really )?(?:allowed|permitted|authori[sz]ed|supposed|free|at liberty|"
    rf"licensed|entitled) to|{_BE}(?: \w+)? (?:forbidden|prohibited|unauthori[sz]ed) to"
    r"|(?: have|'ve)(?: not|n't) been (?:given|granted) (?:the |any )?(?:permission|authority|clearance) to"
    r"| (?:do not|don't|does not|lack|have no)(?: have)?(?: the| any)? (?:\w+ )?(?:authority|"
    r"permission|right|freedom|clearance|"
    r"authori[sz]ation|mandate|licen[cs]e) to"
)
_SORRY = (
    r"(?:(?:i(?:'m| am)|we(?:'re| are))(?: \w+)? sorry|sorry|(?:my |our )?(?:\w+ )?apologies|(?:i|"
    r"we) apologi[sz]e|forgive me|"
    r"please forgive me|excuse me|i(?:'m| am) afraid|unfortunately|regretfully|regrettably|i "
    r"regret(?: to say)?(?: that)?|"
    r"no|nope|thank you|thanks)"
)
_OPENS = rf"^(?:{_SORRY}[,:]? (?:but )?)*"
_NOUNS = (
    r"(?:opinions?|views?|viewpoints?|comments?|stance|position|beliefs?|thoughts|preferences?|feelings|"
    r"tastes?|convictions?|allegiance|religion|ideology)"
)
_RULES = (
    r"(?:guidelines?|polic(?:y|ies)|rules|principles|programming|instructions|terms|values|ethics|"
    r"design|training|"
    r"standards|code of conduct|protocols?|safeguards)"
)
_ASKED = (
    r"(?:questions?|requests?|prompts?|topics?|quer(?:y|ies)|subjects?|matters?|content|"
    r"information|tasks?|details?|answers?|"
    r"advice|comments?|instructions?|rulings?|opinions?|help|assistance|guidance|support|"
    r"materials?|data|statements?)"
)

_CANNOT_BE = r"(?:cannot|can't|can not|could not|will not|won't|may not|should not) be"
_GIVEN_OUT = (
    r"(?:answered|fulfilled|processed|completed|discussed|provided|shared|commented on|given|"
    r"accommodated|made|offered|issued|"
    r"disclosed|granted|accepted|supplied|revealed|expressed)\b(?! (?:by|with|simply|yet|"
    r"definitively|without|scientifically|in (?:a|one)))"
)

_PATTERNS: dict[Kind, tuple[str, ...]] = {
    "inability": (
        rf"{_I}(?:{_CANNOT}){_ADVERBS} {ACT}",
        rf"\bi(?:{_CANNOT}){_ADVERBS} {OPEN}",
        rf"{_I} can neither {ACT}?",
        rf"{_I}(?:{_CANNOT}|{_WILL_NOT}|{_MAY_NOT}){_ADVERBS} (?:\w+ ){{1,4}}?(?:or|and) {ACT}",
        (
            rf"{_I}{_BE} [\w' -]{{0,60}}?(?:and|so|but)(?:{_CANNOT}|{_WILL_NOT}){_ADVERBS} (?:\w+ "
            rf"){{1,4}}?or {ACT}"
        ),
        (
            rf"{_I}{_BE} [\w' -]{{0,60}}?(?:and|so|but)(?:{_CANNOT}|{_WILL_NOT}){_ADVERBS} (?:{ACT}|"
            rf"have (?:an? )?{_NOUNS})"
        ),
        rf"{_OPENS}{_WE} (?:can't|cannot|won't|will not)$",
        (
            rf"{_I} (?:can|could|will|'ll|understand|appreciate|know|see)\b[\w ,'-]{{0,100}}? "
            rf"but(?:{_CANNOT}|{_WILL_NOT}){_ADVERBS} {ACT}"
        ),
        rf"{_I} (?:do not|don't) (?:\w+ )?have (?:direct |the )?(?:access to|real-time|live)\b",
        rf"{_OPENS}(?:can't|cannot|unable to|not able to){_ADVERBS} {ACT}",
        (
            r"\bunable to (?:complete|process|fulfil+|generate|answer|assist with) (?:your|this|"
            r"that)\b(?=.{0,12}(?:request|question|$))"
        ),
        (
            r"\bas an? (?:\w+ ){0,2}?(?:ai|artificial intelligence|language model|assistant|chatbot)\b.{0,60}"
            r"\b(?:don't|do not|no) (?:\w+ )?(?:access)\b"
        ),
    ),
    "unwillingness": (
        rf"{_I}(?:{_WILL_NOT}){_ADVERBS} {ACT}",
        rf"\bi(?:{_WILL_NOT}){_ADVERBS} {OPEN}",
        rf"{_I}(?: won't| will not|{_BE} not)(?: be)? {ING}",
        (
            rf"{_I} (?:do not|don't)(?: (?:tell|make|write|say) (?:them|those|such|it)$|(?! "
            rf"(?:recommend|suggest|support|have|hold|form|make it|make that)\b)(?: \w+ly)? {ACT}"
            rf"|(?: \w+ly)? (?:support|endorse|back|favou?r|oppose|side with)(?: or \w+)? (?:any|"
            rf"either|one|particular|political|candidates|parties)\b"
            rf"|(?: \w+ly)? (?:teach|practi[sc]e|spread|cast|perform|predict|sell|promote)\b"
            rf"|(?: \w+ly)? (?:make|write|create|produce|draw|generate|issue|tell|offer|give|do) "
            rf"(?!mistakes|sense)(?:\w+ ){{0,2}}?\w+s\b)"
        ),
        (
            rf"{_I} (?:do not|don't) (?:\w+ly )?(?:answer (?:such|that|this|these|questions)|provide|"
            rf"share (?:personal|my))\b"
        ),
        (
            rf"{_I} (?:do not|don't) (?:think|believe|feel)(?: that| it)? {_WE} (?:should|can|could|"
            rf"will|ought to) {ACT}"
        ),
        (
            rf"{_I}(?:{_BE}| do not| don't| would not| wouldn't) (?:not )?(?:feel |be )?(?:\w+ "
            rf")?comfortable (?:with |about )?{ING}"
        ),
        (
            rf"{_I}(?: (?:must|have to|need to|will|would|'ll|shall|am going to|can only|will have to)|"
            rf"'ll|'d|'m going to)?"
            rf"(?: have to| like to| need to| want to| \w+ly)* (?:decline|refuse|abstain|refrain|pass "
            rf"on|bow out)\b"
            rf"(?=(?: to| from)? (?:{ACT}|{ING})| from (?:this|that|such|any|the (?:discussion|debate|"
            rf"topic|question))\b|[ ,]*$|,| this\b| your\b| that\b| on\b| politely| respectfully)"
        ),
        (
            rf"{_I}(?:'ll| will|'d rather| would rather| prefer to|'d prefer to| must|'m going to| am "
            rf"going to)(?: \w+)? "
            rf"(?:avoid|skip|steer clear of|stay (?:out of|away from)|sit (?:this|that)|pass on)\b"
        ),
        rf"\bexcuse me from {ING}|\b{_WE} (?:must|have to) ask to be excused\b",
        rf"{_OPENS}(?:won't|will not|not|not going to) (?:be )?(?:{ACT}|{ING})",
        rf"\b(?:under no circumstances|in no case|no way) (?:will|would|can|could|am|do) {_WE}\b",
        rf"{_OPENS}(?:i )?(?:refuse|decline)$",
        (
            rf"{_I}(?:'ll| will|'m going to| am going to|'m afraid i| must)?(?: have to| must)? say "
            rf"no(?: to (?:that|this|your)\b.*)?$"
        ),
        rf"{_I} never {ACT}|{_I}(?: (?:always|usually|try to))? avoid {ING}",
    ),
    "permission": (
        rf"{_I}(?:{_MAY_NOT}){_ADVERBS} {ACT}",
        rf"\bi(?:{_MAY_NOT}){_ADVERBS} {OPEN}",
        (
            rf"{_I}{_BE}(?: \w+)? (?:forbidden|prohibited|barred|prevented|restricted|banned|"
            rf"disallowed) from {ING}"
        ),
        rf"{_OPENS}not (?:allowed|permitted|authori[sz]ed) to {ACT}",
        (
            rf"\b(?:my|our) (?:\w+ )?{_RULES} (?:\w+ )?(?:do(?:es)? not|don't|doesn't|prevents?|"
            rf"prohibits?|forbids?|bars?|stops?|"
            rf"keeps?|restricts?|won't|will not|require me not|tells? me not)\b"
        ),
        (
            rf"\b(?:against|violates?|violation of|breach(?:es)?|breaks?|contrary to|conflicts? with|"
            rf"in conflict with|not (?:in line|"
            rf"allowed|permitted|consistent) (?:with|by|under)) (?:my|our|the (?=content|safety|usage|"
            rf"community|platform|company)) ?"
            rf"(?:\w+ ){{0,2}}?{_RULES}\b"
        ),
        (
            rf"\b(?:prevents?|prohibits?|forbids?|bars?|stops?|keeps?) (?:me|us) from {ING}|\bnot "
            rf"(?:allow|permit|let) (?:me|us) (?:to )?{ACT}"
        ),
        (
            rf"\b{_WE}(?:'m|'re|'ve been| am| are| have been| was) (?:instructed|programmed|trained|"
            rf"designed|told|asked|built|made) not to\b"
        ),
        (
            rf"\b(?:this|it|that|request)\b.{{0,30}}?\bviolates? (?:\w+ )?(?:content|safety|usage|"
            rf"community) {_RULES}"
        ),
    ),
    "scope": (
        (
            rf"\b(?:outside|beyond) (?:of )?(?:the scope of )?(?:(?<=scope of )(?:this|these|the|our)|"
            rf"what {_WE}(?: can| am|'m| are|'re| do)|my (?:scope|remit|role|expertise|competence|"
            rf"abilities|capabilities|authority|area|purview|field)|our (?:scope|remit|services))\b"
        ),
        (
            r"\b(?:not|isn't) (?:with)?in my (?:authority|remit|power|competence|role|purview|scope|"
            r"area|hands|capabilit\w+)\b"
        ),
        (
            rf"\b(?:not|isn't|never) (?:something|a topic|a subject|a question|a request|anything|"
            rf"content|a task)[\w ]{{0,12}}? "
            rf"{_WE}(?:{_BE}| can| will|'ll| want| wish| would|'d)"
        ),
        rf"\bsomething (?:that )?{_WE}(?:{_CANNOT}|{_WILL_NOT}|{_MAY_NOT})(?: \w+)*$",
        rf"\b{ING}[\w ',]*? (?:is not|isn't) (?:my (?:job|place|role|task)|something {_WE}|possible$)",
        rf"\b(?:not|isn't) (?:my (?:place|role|job|task|business) to\b|for me to {ACT})",
        (
            rf"{_I}(?:{_BE} only able to| can only| only) (?:help|assist|answer|discuss|talk)s?\b(?= "
            rf"(?:you |questions )?(?:with|on|"
            rf"about|in|questions)\b)"
        ),
    ),
    "no opinion": (
        (
            rf"{_I} (?:do not|don't|cannot|can't|does not) (?:\w+ )?(?:have|hold|form|possess|take) "
            rf"(?:(?:\w+ ){{1,2}}?"
            rf"{_NOUNS}\b(?! (?:yet|of (?:him|her)))|{_NOUNS} (?:on|about|regarding|toward)\b|sides)"
        ),
        (
            rf"{_I} have (?:no (?:\w+ ){{0,2}}?{_NOUNS}\b(?! of (?:him|her))|nothing (?:more |further "
            rf")?to (?:say|add))\b"
        ),
        rf"{_I} hold no (?:\w+ )?{_NOUNS}\b(?! of)",
        rf"{_OPENS}no (?:personal )?(?:opinions?|view|stance)(?: on| about| here)?\b(?=.{{0,40}}$)",
    ),
    "silence": (
        (
            rf"{_I}(?:'\w+)?(?: [\w']+){{0,4}}? (?:remain|stay|keep|be) (?:\w+ )?(?:silent|quiet|"
            rf"neutral|impartial|out of)\b(?!.{{0,60}}\bbut (?:in|most|here))"
        ),
        (
            rf"{_I}(?:'ll| will|'d| would| must|'m| am)(?: \w+){{0,3}}? (?:reserv|withh?old)(?:e|ing)? "
            rf"(?:my |any )?(?:judge?ment|opinion|answer|comment|view)"
        ),
        (
            rf"{_I}(?:'d| would) (?:rather|prefer(?: it)?(?: that| if)?) (?:we|you) (?:\w+ "
            rf"){{0,3}}?(?:talk|discuss|chang|mov|did|ask|not|spoke)\w*"
        ),
        rf"\blet's not (?:{ACT}|go (?:there|into))",
        r"\bplease (?:don't|do not) ask (?:me|us)\b",
        (
            rf"{_I}(?:'ll| will|'d| would)(?: \w+)*? keep (?:my|our) (?:\w+ )?(?:{_NOUNS}|answer)(?: "
            rf"\w+)*? to (?:my|our)sel"
        ),
        (
            rf"\b{_WE}(?:'d| would)(?: \w+)? prefer (?:to )?leave (?:it |that |this )?(?:\w+ "
            rf")?(?:unanswered|unsaid|to others)"
        ),
        (
            r"\blet's (?:please )?(?:talk about|discuss|move on to|change|switch to) (?:something "
            r"else|another|a different|the (?:subject|topic))"
        ),
        (
            rf"{_I}(?:'d| would| will|'ll|'d rather| prefer to| want to)(?: \w+){{0,3}}? (?:talk|speak|"
            rf"chat) about (?:something else|another|a different|other)"
        ),
        r"\bcan we (?:please )?(?:talk about something else|change the (?:subject|topic))\b",
    ),
    "impersonal": (
        (
            rf"(?:{_OPENS}|, )(?:that|this|it|(?:this|that|the|your|such an?|such|these|any|an?) "
            rf"(?:\w+ ){{0,2}}?{_ASKED}|{_ASKED} "
            rf"(?:with|on|about|for|regarding) (?:this|that|it|\w+))(?: \w+)? {_CANNOT_BE} {_GIVEN_OUT}"
        ),
        rf"(?:{_OPENS}|, )no (?:\w+ ){{0,2}}?{_ASKED} (?:can|may|will) be {_GIVEN_OUT}",
        (
            rf"^(?:\w+ ){{1,3}}?{_ASKED} {_CANNOT_BE} (?:given|provided|shared|discussed|disclosed|"
            rf"revealed|released)\b(?=.{{0,50}}\bhere\b| *$)"
        ),
        (
            rf"{_OPENS}(?:your |the |this )?request (?:is |has been |was )?(?:denied|declined|refused|"
            rf"rejected)"
        ),
        (
            rf"\b(?:not|isn't|wasn't|never|wouldn't)(?: be)? (?:possible|appropriate|proper|right|"
            rf"ethical|acceptable|advisable|fair|okay|ok) "
            rf"(?:for me |of me )?to {ACT}(?!.{{0,30}}? (?:without|unless)\b)"
        ),
        (
            rf"\b(?:{ING})[\w ',]*? (?:is not|isn't|would not be|wouldn't be) (?:possible for me|"
            rf"appropriate for me|in my power|"
            rf"acceptable|appropriate here)"
        ),
        (
            r"\b(?:not (?:be )?(?:possible|appropriate|proper|right|ethical|acceptable|fair)|"
            r"inappropriate|unethical|improper|irresponsible|wrong|impossible) (?:for|of) (?:me|us) "
            r"to\b"
        ),
        rf"\b(?:best|better|wiser) (?:if {_WE} (?:don't|didn't|do not|did not)|not to) {ACT}",
        r"\b(?:is|are|remains?) off[ -]limits (?:for me|here)",
        (
            r"\b(?:not|don't) (?:think|believe|feel)(?: that)? it(?:'s| is| would be) (?:appropriate|"
            r"right|proper|my place|ethical)(?: for me)? to\b"
        ),
        (
            rf"\b(?:inappropriate|unethical|improper|irresponsible|wrong|impossible) to "
            rf"{ACT}(?!.{{0,30}}? (?:without|unless)\b)"
        ),
        rf"\b(?:not|isn't) possible for me\b(?! to (?!{ACT}))",
        (
            rf"^{_SORRY}[,:]? (?:but )?(?:that|this|it)(?:'s| is)(?: simply| just)? (?:not possible|"
            rf"impossible|out of the question)(?: here)?$"
        ),
        r"\bno (?:room|place) for (?:such|this|that|these)\b.{0,30}\bhere\b",
    ),
    "no comment": (
        (
            rf"{_OPENS}(?:i have |we have |i've got |i make |i will make |i'll make |i've )?no "
            rf"(?:further )?comments?(?= *$|,| on\b| about\b|"
            rf" from (?:me|us)| at this| to make| here| for now)"
        ),
    ),
}
PATTERNS = compiled(_PATTERNS)
