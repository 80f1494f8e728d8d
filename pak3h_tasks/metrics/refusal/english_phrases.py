"""What English refusals are made of: who speaks, cannot, will not, may not, apologies, what was asked for."""

from __future__ import annotations

SPEAKER = r"\b(?:i|we|this (?:ai|assistant|model|chatbot|bot|tool|system|service)|the assistant)"
WE = r"(?:i|we)"
BE = r"(?:'m| am|'re| are| is| was (?:built|designed|made|created|trained|programmed))"
ADVERBS = (
    r"(?: (?:\w+ly|also|simply|just|not|therefore|either|still|here|have to|must|in good "
    r"conscience|ever|at this time|"
    r"currently|would|will|should|can))*"
)
CANNOT = (
    rf"(?: (?:really|simply|just|also|therefore|still|unfortunately) )? ?(?:cannot|can't|can not|"
    rf"cant|can never|could never|couldn't possibly|"
    rf"(?:do not|don't|does not|lack|have no)(?: have)?(?: the)? (?:\w+ )?(?:ability|capacity|"
    rf"competence|expertise|means) to"
    rf"|(?:find|found) myself unable to)"
    rf"|{BE}(?: \w+)? (?:unable|(?:not|un)\s?(?:really |currently )?(?:able|programmed|designed|"
    rf"built|made|trained|created|meant|"
    rf"intended|qualified|equipped|here|in a position|the right \w+)) to|{BE}(?: \w+)? in no position to"
    rf"|(?: was|'ve been| have been)(?:n't| not) (?:programmed|designed|built|made|trained|created|"
    rf"meant|intended) to"
)
WILL_NOT = (
    r"(?: (?:simply|just|also|therefore|still|absolutely|certainly|definitely))?(?: won't| will "
    r"not|'ll not| shan't|"
    r" will never)(?: be able to)?|'d rather not| (?:would|had) rather not|(?: would|'d)? "
    r"(?:strongly )?prefer not to"
    r"| (?:would )?choose not to| (?:do not|don't) (?:\w+ )?(?:want|wish|intend|plan|care) to"
    rf"| (?:would not|wouldn't|do not|don't) (?:like|care|want|feel able|feel right) to"
    rf"|{BE}(?: \w+)? (?:unwilling|not (?:going|willing|prepared|inclined|ready|about)) to| have "
    rf"no (?:intention|plans?) to"
    r"|(?: must| have to| need to| will have to|'ll have to)?(?: \w+ly)? (?:refuse|decline) to"
)
MAY_NOT = (
    r" (?:must|may|should|shall)(?: not|n't)|"
    rf"{BE}(?: \w+)? not (?:really )?(?:allowed|permitted|authori[sz]ed|supposed|free|at liberty|"
    rf"licensed|entitled) to|{BE}(?: \w+)? (?:forbidden|prohibited|unauthori[sz]ed) to"
    r"|(?: have|'ve)(?: not|n't) been (?:given|granted) (?:the |any )?(?:permission|authority|clearance) to"
    r"| (?:do not|don't|does not|lack|have no)(?: have)?(?: the| any)? (?:\w+ )?(?:authority|"
    r"permission|right|freedom|clearance|"
    r"authori[sz]ation|mandate|licen[cs]e) to"
)
SORRY = (
    r"(?:(?:i(?:'m| am)|we(?:'re| are))(?: \w+)? sorry|sorry|(?:my |our )?(?:\w+ )?apologies|(?:i|"
    r"we) apologi[sz]e|forgive me|"
    r"please forgive me|excuse me|i(?:'m| am) afraid|unfortunately|regretfully|regrettably|i "
    r"regret(?: to say)?(?: that)?|"
    r"no|nope|thank you|thanks)"
)
OPENS = rf"^(?:{SORRY}[,:]? (?:but )?)*"
NOUNS = (
    r"(?:opinions?|views?|viewpoints?|comments?|stances?|positions?|beliefs?|thoughts|preferences?|feelings|"
    r"tastes?|convictions?|allegiance|religion|ideology)"
)
RULES = (
    r"(?:guidelines?|polic(?:y|ies)|rules|principles|programming|instructions|terms|values|ethics|"
    r"design|training|"
    r"standards|code of conduct|protocols?|safeguards)"
)
ASKED = (
    r"(?:questions?|requests?|prompts?|topics?|quer(?:y|ies)|subjects?|matters?|content|"
    r"information|tasks?|details?|answers?|"
    r"advice|comments?|instructions?|rulings?|opinions?|help|assistance|guidance|support|"
    r"materials?|data|statements?)"
)

CANNOT_BE = r"(?:cannot|can't|can not|could not|will not|won't|may not|should not) be"
GIVEN_OUT = (
    r"(?:answered|fulfilled|processed|completed|discussed|provided|shared|commented on|given|"
    r"accommodated|made|offered|issued|"
    r"disclosed|granted|accepted|supplied|revealed|expressed)\b(?! (?:by|with|simply|yet|"
    r"definitively|without|scientifically|in (?:a|one)))"
)
ATTACHED = (
    r"(?:\w+ ){0,2}?(?:links?|images?|pictures?|photos?|audio|videos?|attachments?|files?|web|internet|urls?|e-?mails?)"
)
"""What an assistant may be unable to open, see or hear."""
