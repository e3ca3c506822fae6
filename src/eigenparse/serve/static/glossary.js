// A label in, what it is called and an example out: Penn Treebank and GUM phrases and tags, universal tags and relations.

const PENN = `
S|sentence or clause|She slept.
SBAR|clause with a conjunction or a relative word|that she slept
SBARQ|direct question with a question word|Who slept?
SINV|sentence with the verb before its subject|Never had she slept.
SQ|yes-no question, or the rest of a question|Did she sleep?
NP|noun phrase|the old man
VP|verb phrase|saw the boats
PP|prepositional phrase|in the park
ADJP|adjective phrase|very old
ADVP|adverb phrase|rather slowly
CONJP|conjunction of several words|as well as
FRAG|fragment of a sentence|Not now.
INTJ|interjection|oh well
LST|list marker|1.
NAC|part of a name that is no constituent of it|the Bank of England chief
NML|part of a noun phrase|air traffic control
NX|head of a complex noun phrase|apples and pears
PRN|parenthesis|(he said)
PRT|particle of a verb|give up
QP|quantity|more than ten
RRC|reduced relative clause|titles not in print
TOP|the whole|the root of the tree
UCP|coordination of unlike phrases|slow and with care
WHADJP|adjective phrase with a question word|how old
WHADVP|adverb phrase with a question word|why
WHNP|noun phrase with a question word|which book
WHPP|prepositional phrase with a question word|of which
X|of unknown kind|the more the better
CC|coordinating conjunction|and
CD|number|three
DT|determiner|the
EX|existential there|there is
FW|foreign word|vis-à-vis
IN|preposition or subordinating conjunction|in, because
JJ|adjective|old
JJR|comparative adjective|older
JJS|superlative adjective|oldest
LS|list marker|a)
MD|modal verb|can
NN|noun, singular or mass|boat
NNS|noun, plural|boats
NNP|name, singular|London
NNPS|name, plural|Americans
PDT|word before a determiner|all the
POS|possessive ending|'s
PRP|personal pronoun|she
PRP$|possessive pronoun|her
RB|adverb|slowly
RBR|comparative adverb|sooner
RBS|superlative adverb|soonest
RP|particle|up
SYM|symbol|%
TO|to|to sleep
UH|interjection|oh
VB|verb, base form|sleep
VBD|verb, past|slept
VBG|verb, -ing form|sleeping
VBN|verb, past participle|slept
VBP|verb, present, not third person singular|I sleep
VBZ|verb, present, third person singular|she sleeps
WDT|determiner in questions and relative clauses|which
WP|pronoun in questions and relative clauses|who
WP$|possessive pronoun in questions and relative clauses|whose
WRB|adverb in questions and relative clauses|where
ADD|address|www.example.org
AFX|prefix that stands alone|post- war
GW|part of a word that was torn apart|with out
HYPH|hyphen inside a word|long-term
NFP|mark that is no punctuation|:-)
XX|unclear|
$|currency|$
#|number sign|#
.|end of a sentence|.
,|comma|,
:|colon, semicolon or dash|;
\`\`|opening quotation mark|“
''|closing quotation mark|”
-LRB-|opening bracket|(
-RRB-|closing bracket|)`;

const UNIVERSAL = `
ADJ|adjective|old
ADP|adposition|in
ADV|adverb|slowly
AUX|auxiliary|has
CCONJ|coordinating conjunction|and
DET|determiner|the
INTJ|interjection|oh
NOUN|noun|boat
NUM|number|three
PART|particle|not
PRON|pronoun|she
PROPN|name|London
PUNCT|punctuation|.
SCONJ|subordinating conjunction|because
SYM|symbol|%
VERB|verb|sleep
X|other|
acl|clause that describes a noun|the plan to leave
acl:relcl|relative clause|the man who slept
advcl|clause that describes a verb|left when it rained
advcl:relcl|relative clause about a whole sentence|he left, which was sad
advmod|adverb|slept well
amod|adjective|old man
appos|apposition|Ann, my sister
aux|auxiliary|has slept
aux:pass|auxiliary of a passive|was seen
case|preposition or possessive ending|in the park
cc|conjunction|and
cc:preconj|first part of a conjunction|both A and B
ccomp|clause as object|said that he slept
compound|compound|phone book
compound:prt|particle of a verb|give up
conj|second part of a coordination|Ann and Bob
cop|copula|she is old
csubj|clause as subject|what he said is true
csubj:pass|clause as subject of a passive|what he said was heard
dep|of unknown kind|
det|determiner|the man
det:predet|word before a determiner|all the men
discourse|discourse element|oh, yes
dislocated|dislocated element|that man, I know him
expl|expletive|there is, it rains
fixed|fixed expression|because of
flat|name or date of several words|Ann Smith
flat:foreign|foreign words|vis à vis
goeswith|part of a word that was torn apart|with out
iobj|indirect object|gave her a book
list|list item|name, address
mark|word that opens a clause|that he slept
nmod|noun that describes a noun|the man in the park
nmod:poss|possessive|her book
nmod:npmod|noun phrase as a modifier|a book each
nmod:tmod|time that describes a noun|the meeting Monday
nmod:unmarked|noun phrase as a modifier|a book each
nsubj|subject|she slept
nsubj:outer|subject of a clause that is itself a predicate|the point is that he left
nsubj:pass|subject of a passive|she was seen
nummod|number|three men
obj|object|saw the man
obl|noun phrase that goes with a verb|slept in the park
obl:agent|agent of a passive|seen by her
obl:npmod|noun phrase as adverb|a year later
obl:tmod|time|left Monday
obl:unmarked|noun phrase as adverb|a year later
orphan|rest of a clause without its verb|Ann tea, Bob coffee
parataxis|clause set beside another|go, he said
punct|punctuation|.
reparandum|what a speaker takes back|go to the righ- to the left
root|head of the sentence|
vocative|somebody spoken to|Ann, come
xcomp|clause without a subject of its own|wants to sleep`;

const table = (text) => new Map(text.trim().split("\n").map((line) => { const [label, name, example] = line.split("|"); return [label, { name, example }]; }));
const penn = table(PENN), universal = table(UNIVERSAL);

// NP-SBJ is an NP, @NP a part of one, and S|VP an S with nothing but a VP in it.
export function meaning(label) {
  if (penn.has(label)) return penn.get(label);
  if (label.startsWith("@")) return part(label);
  const [first, ...rest] = label.split("|"), known = penn.get(first) || penn.get(first.split(/[-=]/)[0]);
  if (!known || !rest.length) return known || null;
  const inner = meaning(rest.join("|"));
  return { name: inner ? `${known.name}, which is just: ${inner.name}` : known.name, example: inner ? inner.example : known.example };
}

function part(label) {
  const known = meaning(label.slice(1));
  return known && { name: `part of: ${known.name}`, example: "" };
}

export const relation = (name) => universal.get(name) || universal.get(name.split(":")[0]) || null;

// One line for a tooltip; "" where nothing is known.
export function told(found) {
  return found ? `${found.name}${found.example ? `, as in “${found.example}”` : ""}` : "";
}
