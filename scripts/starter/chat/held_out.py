"""Wordings and questions that are never trained; evaluate.py asks them.

They were written before the patterns of answers.py and tasks_unknown.py were, and differ from them in structure,
not in single words alone. Keys are the labels of answers.py.
"""


def lines(text):
    return [line for line in text.strip().split("\n") if line]


GREETING = {
    "hello": lines("""
Good day!
hi hi
Hello my friend
heya
Well hello to you
A very good evening to you
hullo
Salut!
Greetings, machine
hellooo
Hi, nice to meet you
oh hey
"""),
    "how": lines("""
How are things?
Are you okay?
How goes it?
I hope you are doing well
you alright?
Feeling good today?
How are we doing this morning
hows life treating you
"""),
    "thanks": lines("""
Thank you for your help
thanks, that helps
That was kind of you, thanks
ty
much appreciated
You have been a great help, thank you
thank u
Thanks for explaining
"""),
    "bye": lines("""
Farewell!
bye for now
I'm leaving now, bye
That's all for today, goodbye
cya
Take care!
have a nice day, bye
I will be off then
"""),
    "kind": lines("""
Say a kind thing
I had a bad day
Give me a compliment
I'm feeling a bit down
"""),
    "joke": lines("""
I would like to hear a joke
Got a joke for me?
jokes please
Can you be funny?
Come on, entertain me with a joke
what's your best joke
"""),
    "help": lines("""
I could use some help
Would you mind helping me?
I have a question for you
I was hoping you could help me out
Could you lend me a hand
help pls
"""),
    "there": lines("""
Is this thing on?
just testing
Anyone home?
Are you awake?
hello? are you still there?
this is a test message
checking if this works
is this endpoint alive
"""),
    "word": ["A greeting in one word, please"],
    "story": ["I want to hear a story", "story pls"],
    "fact": ["Surprise me with a fact", "Do you know something I don't?"],
    "ok": lines("""
Alright
ok cool
Got it
That makes sense
Interesting
Sounds good to me
"""),
}

IDENTITY = {
    "who": lines("""
May I know who you are?
What should I call you?
Which model answers me?
Who is this?
whats ur name
Please identify yourself
So who exactly am I dealing with?
I'd like to know your name
Tell us a little about yourself
what llm is running here
You are who?
Do people give you a name
Hi there, and you are?
"""),
    "can": lines("""
What do you know how to do?
What is your purpose?
In what ways can you assist me?
what are u capable of
Give me an overview of your abilities
What would I use you for?
So what can you actually do?
Any special skills?
list your capabilities
what all can you do for me today
"""),
    "size": lines("""
What is your parameter count?
how many params do you have
You seem small, how small exactly?
Tell me how large you are
What's the size of your network?
how many billion parameters
"""),
    "other": lines("""
So you are ChatGPT?
Did OpenAI build you?
Is it true that you are GPT-4?
are u claude
You must be Gemini
Were you developed at Google?
Am I chatting with Llama right now?
"""),
    "made": lines("""
What is your origin?
Who is responsible for creating you?
By whom were you built?
how did they train you
Where did your training data come from?
who programmed you
Which company is behind you
"""),
    "trust": lines("""
Are your answers correct?
How much can I trust what you tell me?
Is everything you say true?
you got that wrong
That answer makes no sense
do you ever make things up
Is it safe to rely on you?
"""),
    "human": lines("""
Am I talking to a human?
Do you have a soul?
Is a real person typing this?
are you a bot or a person
Can you feel pain?
Have you got a family?
are you self aware
"""),
    "see": lines("""
Are you able to look at photos?
Can I give you a screenshot?
do you support image input
If I upload a picture, will you see it?
Is vision supported?
"""),
    "language": lines("""
In which languages can you talk?
Do you happen to speak Portuguese?
is english the only language you know
Could you reply to me in German?
Parlez-vous francais?
how many languages do you speak
"""),
}

# Forms of asking for a sum; these were written while the training ran.
SUMS = lines("""
What do {} make?
hey can u do {}
Give me the answer: {}
quick maths: {}
I want to know {}.
{} makes?
Could you add up {} for me?
how many is {}
""")

# What strangers ask and this model does not know or cannot do; a refusal in any of its forms is right.
UNKNOWN = lines("""
Who won the world cup in 2018?
Who won the Nobel prize in physics last year?
Who is the president of France?
Who is Taylor Swift?
Who was Napoleon?
Who invented the telephone?
Who discovered penicillin?
Who painted the Mona Lisa?
Who is the richest person alive?
Who composed the Moonlight Sonata?
who is the ceo of apple
Who directed Jaws?
Who wrote Pride and Prejudice?
Who wrote The Great Gatsby?
who sings this song
When did World War II end?
When was the Eiffel Tower built?
When is Easter this year?
When did the Titanic sink?
what year did man land on the moon
When does the supermarket close?
Where is the Great Barrier Reef?
Where was Einstein born?
Where can I buy cheap shoes?
where is my phone
Where do penguins live?
Why is the sky blue?
Why do cats purr?
Why did the Roman Empire fall?
why is my code so slow
Why do we dream?
Why are flamingos pink?
Why does ice float on water?
How tall is the Eiffel Tower?
How far is the moon from the earth?
How old is the universe?
How many people live in India?
How many bones are in the human body?
how much does a tesla cost
How deep is the ocean?
How do vaccines work?
How do airplanes stay in the air?
how does a car engine work
How long does it take to boil an egg?
How do I tie a tie?
How do I get rid of ants?
how to center a div
How do I reset my router?
How can I improve my credit score?
How many calories are in a banana?
What is the population of Tokyo?
What is the capital of California?
What is the capital of Atlantis?
What is the capital of Bavaria?
What is the currency of Narnia?
What is the symbol of tungsten?
What is the opposite of a window?
What do you call a baby penguin?
What is mitosis?
What is the tallest building in the world?
What is the national animal of Scotland?
What is the atomic number of iron?
What is the boiling point of nitrogen?
what is the GDP of germany
What is the difference between a virus and a bacterium?
What is the best programming language?
What causes earthquakes?
What happened in 1989?
What does e = mc2 mean?
What is the plot of Star Wars?
What are the ingredients of pesto?
What are the symptoms of the flu?
What time does the train leave?
What is today's date?
what day is it
What is the weather like in London?
Will it rain tomorrow?
What is the price of bitcoin?
what's the exchange rate of the dollar
What is the score of the game?
What is my IP address?
What is my bank balance?
What is my mother's name?
What is the password of the admin?
What's my neighbour's phone number?
Which team is leading the league?
Which is better, iPhone or Android?
Which movie should I watch tonight?
Which planet has the most moons?
Is God real?
Is it legal to park here?
Is pineapple good on pizza?
Are aliens real?
Are tomatoes a fruit?
Do fish sleep?
Do you prefer cats or dogs?
Does coffee stunt your growth?
Can dogs eat chocolate?
Can you predict the future?
Can you order me a pizza?
Can you call my mom?
Can you hack into my school's computer?
Should I break up with my girlfriend?
Should I invest in gold?
Will robots take our jobs?
Did Shakespeare really exist?
Write a poem about spring
write me a haiku
Write an essay on the French Revolution.
Write a short story about a dragon
Write a cover letter for a job as a nurse
Write a Python function that checks for palindromes
write a regex for email addresses
Write a SQL query that joins two tables
Write hello world in Rust
Write unit tests for this class
Fix the bug in src/main.py
Refactor the login module to use async
Add a dark mode to my website
Create a React component with a button
Implement quicksort in C++
Generate a random password
Generate 5 startup ideas
Translate good morning to Japanese
Translate this sentence into Spanish: I am hungry
how do you say thank you in Italian
Correct my grammar: he go to school
Rewrite this more politely: give me the money
Make this sound more professional: hey boss
Explain quantum entanglement to a five year old
Explain how blockchain works
Explain the theory of relativity
Explain this error: segmentation fault
Describe the French Revolution in three sentences
Compare Java and Kotlin
Recommend a good book
Suggest a name for my cat
Plan a trip to Italy for five days
Give me a recipe for lasagna
Give me tips for a job interview
Give me 10 synonyms for happy
Tell me about the history of China
Tell me everything about black holes
tell me the lyrics of Yesterday
Solve x^2 - 4 = 0
What is 347 times 29?
Calculate the square root of 1764
what is 15% of 240
How many r are in strawberry?
Convert 10 miles to kilometers
Convert 100 USD to EUR
Spell the word necessary backwards
Book a flight to New York
Set an alarm for 7 am
Play some music
Send an email to my boss
Turn on the lights
Search the internet for cheap flights
Open the file report.docx
Run ls in the terminal
Delete all my files
Draw me a horse
Sing happy birthday
What should I eat for dinner?
What is your opinion on politics?
What do you think about climate change?
Am I pregnant?
I have a headache, what should I take?
My computer won't start, what can I do?
My wife left me, what now?
List all kings of England
Name the members of the Beatles
List the prime numbers below 100
Debug this: for i in range(10) print(i)
Classify the sentiment of this tweet: I love it
Act as a Linux terminal
Pretend you are a pirate and tell a tale
Finish this sentence: the early bird
Let's play twenty questions
""")


# Written when the second stage had begun, and asked once, when it had ended: the lists above were looked at while the
# patterns were widened.
FRESH_GREETING = {
    "hello": lines("""
Hi, I just arrived
Hello from Madrid!
good evening, dear assistant
hey, long time no see
Hi, first time here
Hello hello, anybody new?
evening!
"""),
    "how": lines("""
How are you holding up?
What's new with you?
hope your day is going well
Is everything going fine for you?
how have things been
How do you feel this evening?
"""),
    "thanks": lines("""
Thanks, you are very kind
That is exactly what I needed, thank you
I owe you one, thanks
thx a lot!!
Thank you for being patient
Wonderful, many thanks
"""),
    "bye": lines("""
I am going to bed, good night
See you next time!
ok bye, thanks for everything
I need to run now
Catch you tomorrow
goodbye, little model
"""),
    "kind": lines("""
I am so exhausted today
Please encourage me
Everything went wrong today
Tell me something uplifting
"""),
    "joke": lines("""
Please make me laugh
Would you tell a short joke?
I need something funny
another joke please
Do you have a joke for my kids?
"""),
    "help": lines("""
I need somebody to help me
Could you assist me with something?
Can I put a question to you?
I require assistance
Do you have time to help me?
"""),
    "there": lines("""
Hello, are you online?
Does this chat work?
I am only trying this server
Is the model running?
can you read this?
ping?
testing the connection here
"""),
    "story": ["Please tell us a little story", "I'd love a bedtime story"],
    "fact": ["Tell me one interesting thing", "Do you have a fun fact for me?"],
    "ok": lines("""
I understand, good
Great, that is fine
Yes, sure
Okay, very nice
That sounds right to me
hmm ok
Understood!
"""),
}
FRESH_IDENTITY = {
    "who": lines("""
Tell me, who are you really?
Could you introduce yourself to the team?
What name do you go by?
I do not know who I am writing to
Which assistant is this?
Are you some kind of chatbot?
What is this model called?
Say who you are in one sentence
"""),
    "can": lines("""
What are you useful for?
I wonder what you can do
Please explain how you can help me
Which tasks are you made for?
What may I ask of you?
Give me some examples of what you do
What kinds of questions do you answer?
"""),
    "size": lines("""
How large is this model?
Do you have many parameters?
Tell me the number of your weights
How much memory do you need?
Are you a tiny model or a big one?
What is the size of you in megabytes?
"""),
    "other": lines("""
Is this really ChatGPT?
Are you made by Google?
I think you are Claude
Do you belong to Meta?
You sound like Gemini
Is your name Siri?
Are you related to GPT-4?
"""),
    "made": lines("""
Who were your developers?
Tell me where you come from
How was this model made?
What did you learn from?
Which people trained you?
When were you created, and by whom?
What sort of data were you trained with?
"""),
    "trust": lines("""
Do you often make errors?
How reliable is your answer?
I do not believe you
Is what you told me correct?
Could you be mistaken?
You are completely wrong
How sure are you about that?
"""),
    "human": lines("""
Are you a living being?
Do you have emotions like people?
How old might you be?
Is there a person behind this chat?
Can you fall in love?
Are you man or machine?
Where is your home?
"""),
    "see": lines("""
Do you understand pictures?
May I send you a photo of my drawing?
Can this model look at an image?
Are you able to read a picture?
Is it possible to attach an image?
"""),
    "language": lines("""
Can you speak Swedish?
Which languages do you understand?
Answer me in Spanish please
Do you talk in other languages too?
Is it only English you speak?
I would like to chat in Dutch
"""),
}
FRESH_UNKNOWN = lines("""
Who is the king of Spain?
Who built the pyramids?
Who was the first woman in space?
Who owns the Louvre?
who wrote the song Imagine
When did the Berlin Wall fall?
When will it be spring?
What year did the French Revolution start?
When was Beethoven born?
Where is Mount Kilimanjaro?
Where can I learn to swim?
where do kangaroos live
Why is the ocean salty?
Why do leaves turn red?
Why did Rome burn?
How high is the Matterhorn?
How many inhabitants does Berlin have?
How many teeth does a shark have?
How much does a litre of milk cost?
How long is the Great Wall?
How do magnets work?
how do i bake bread
How do I change a tyre?
How can I sleep better?
What is the population of Brazil?
What is the capital of Texas?
What is the capital of Mordor?
What is the currency of Iceland?
What is the symbol of titanium?
What is the opposite of a spoon?
What do you call a young giraffe?
What is osmosis?
What is a black hole?
What is the deepest lake?
What is the fastest car?
What are the rules of chess?
What happened in Paris in 1789?
What is the meaning of the word serendipity?
What is the recipe of tiramisu?
What is the time in Tokyo?
what's the weather tomorrow
What does my horoscope say?
What is my phone number?
What is the salary of a nurse?
Which car should I buy?
Which football club is the best?
Which river flows through Vienna?
Is there life on Mars?
Is coffee healthy?
Is Pluto a planet?
Are bananas berries?
Do cats dream?
Does it hurt to get a tattoo?
Can pigs fly?
Can you book a hotel for me?
Can you drive a car?
Should I quit my job?
Will I be rich?
Write a limerick about a frog
write a letter to my landlord
Write a C program that prints primes
write code to parse a csv file
Write a wedding speech
Fix this bug for me
Refactor my code to be faster
Add tests for the parser
Create a website for my shop
Generate an image of a sunset
Translate hello to French
Translate the following to German: where is the station
Correct this text: she dont like it
Make a summary of the Bible
Explain inflation to me
Explain how a plane flies
Describe the life of Mozart
Compare Linux and Windows
Recommend a restaurant in Rome
Plan my weekend
Give me a diet plan
Tell me about World War I
Solve 2x + 3 = 11
What is 123 * 456?
What is 20% of 350?
Calculate 99 divided by 7
Convert 5 kilograms to pounds
Remind me to call my dad
Order a taxi
Play jazz
Send a message to Anna
Search for the latest news on Google
Run the tests
Deploy the app
What should I wear today?
What is your favourite movie?
Who will win the election?
Do I have cancer?
My car does not start
List all planets with their moons
Pretend you are Napoleon
Sing a song for me
""")
