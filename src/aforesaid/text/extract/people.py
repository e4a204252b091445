"""English words for people: relations, given names, and capitalised words that are no names."""

from __future__ import annotations

# Each word may be a pattern; relations of machines (parent, child alone) are kept out or caught where they are used.
KIN = (
    "mother mom mum father dad parents sisters? brothers? siblings? wife husband spouse partner girlfriend boyfriend "
    "fianc[eé]e? sons? daughters? kids? child(?:ren)? baby uncle aunt cousins? nephews? nieces? "
    "grand(?:ma|pa|mother|father|parents|son|daughter|kids) in-laws boss manager supervisor mentor coach teacher "
    "professor advisor tutor doctor dentist therapist lawyer landlord neighbou?rs? roommates? flatmates? housemates? "
    "friends? buddy colleagues? co-?workers? teammates? classmates? ex family nanny"
)

# What may stand between "my" and a relation.
CLOSE = (
    "older younger elder little big twin best old new former late close good dear own first line direct oldest "
    "youngest eldest second third work college school childhood gym whole entire two three"
)

# Only names that are nothing else: no Will, Mark, May, Rose, Jordan or Paris.
GIVEN_NAMES = (
    "Aaron Adam Aisha Akira Alan Alejandro Alex Alexander Alice Alicia Amanda Amelia Amy Ana Anders Andrea Andrew "
    "Andy Angela Anita Ann Anna Anne Anthony Antonio Arjun Ashley Barbara Ben Benjamin Beth Bob Brandon Brenda Brian "
    "Camila Carla Carlos Carmen Carol Caroline Catherine Charles Charlotte Chen Chloe Chris Christina Christopher "
    "Claire Clara Cynthia Dan Daniel Daniela Dave David Deborah Dennis Diana Diego Dmitri Donna Doug Edward Elena "
    "Elizabeth Ella Emily Emma Eric Erika Ethan Eva Evan Fatima Felix Fernando Fiona Francesca Gabriel Gary George "
    "Giulia Gina Greg Gregory Hana Hannah Hans Haruka Harry Hassan Heather Helen Henry Hiroshi Ian Ibrahim Ingrid "
    "Isabella Ivan Jacob Jake James Jamie Jane Janet Jason Javier Jeff Jennifer Jenny Jessica Jim Joan Joanna John "
    "Jonathan Jose Joseph Josh Joshua Juan Julia Julie Justin Karen Kate Katherine Katie Keiko Kelly Kenji Kevin Kim "
    "Klaus Kumar Larry Laura Lauren Leila Lena Leo Linda Lisa Liz Lucas Lucia Lucy Luis Luke Maggie Maria Marco "
    "Margaret Mariko Mary Matt Matthew Megan Mei Melanie Melissa Michael Michelle Miguel Mike Mohammed Monica Nancy "
    "Naomi Natalie Nathan Neha Nick Nicole Nina Noah Olga Oliver Olivia Omar Oscar Pablo Pamela Patricia Patrick "
    "Paul Paula Pedro Peter Phil Philip Pierre Priya Rachel Raj Rebecca Ricardo Richard Rick Robert Roberto Ron Ryan "
    "Sally Sam Samantha Samuel Sandra Sanjay Sara Sarah Scott Sean Sergei Sharon Simon Sofia Sophia Sophie Stephanie "
    "Stephen Steve Steven Susan Tanaka Thomas Tim Timothy Tom Tommy Tony Tracy Tyler Valentina Vanessa Victoria "
    "Vikram Vincent Wei Yuki Yusuf Zoe"
)

# What starts a sentence with a capital, or speaks in news, and is nobody.
NOT_NAMES = (
    "The This That These Those There Then They He She It We You Who What When Where Why How And But Or So If As At "
    "In On Of No Not Nobody Everyone Everybody Someone Somebody Anyone One People Another Both Each Some Many Most "
    "All Also Just Google Apple Microsoft Amazon Meta Slack Docker Python Java Git Github Siri Alexa Chatgpt Claude "
    "Twitter Reddit Stack Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "
    "June July August September October November December Please Yes Yeah Ok Okay Hi Hey Hello Thanks Well Maybe "
    "English French German Spanish Japanese"
)
