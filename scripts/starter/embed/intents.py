"""Texts of the same meaning, written for this project: questions with their answer, sentences with paraphrases."""

INTENTS = [
    (
        "How do I reset my password?",
        "I forgot my login credentials",
        "cannot remember my passphrase",
        "change a lost password",
        'Click "Forgot password" on the sign-in page and we will e-mail you a link to choose a new one.',
    ),
    (
        "How can I cancel my subscription?",
        "stop my membership",
        "end my plan",
        "I no longer want to be billed every month",
        (
            "Open Billing in your account settings and press Cancel plan; you keep access until the end of the "
            "paid period."
        ),
    ),
    (
        "Where is my order?",
        "track my parcel",
        "package has not arrived",
        "delivery status",
        "You can follow the shipment with the tracking number in the confirmation message.",
    ),
    (
        "How do I get a refund?",
        "I want my money back",
        "return a product",
        "reimbursement for a faulty item",
        "Send the item back within 30 days and the amount is credited to your card.",
    ),
    (
        "What payment methods do you accept?",
        "can I pay by credit card",
        "pay with bank transfer",
        "We take Visa, Mastercard, PayPal and bank transfers.",
    ),
    (
        "How do I change my e-mail address?",
        "update contact details",
        "edit my mail address in the profile",
        "Go to Profile, edit the mail field and confirm the message we send you.",
    ),
    (
        "The app crashes when it starts",
        "program closes unexpectedly at launch",
        "software fails on startup",
        "Update to the latest version, restart the device and send us the crash log if the fault remains.",
    ),
    (
        "The internet connection is slow",
        "network speed is poor",
        "wifi is lagging",
        "Move closer to the router, use a cable or restart the modem.",
    ),
    (
        "How do I install the software?",
        "set up the program on my computer",
        "installation steps",
        "Download the package, run the installer and follow the instructions on the screen.",
    ),
    (
        "How do I back up my data?",
        "make a copy of my files",
        "save a snapshot of the database",
        "Plug in an external disk and start the backup tool; it copies every document.",
    ),
    (
        "My battery drains quickly",
        "phone runs out of power fast",
        "short battery life",
        "Lower the screen brightness and close programs which run in the background.",
    ),
    (
        "How can I contact support?",
        "speak to a human agent",
        "customer service phone number",
        "Our help desk answers on weekdays from 9 to 17 by phone and chat.",
    ),
    (
        "How do I delete my account?",
        "remove my profile and data",
        "erase my personal information",
        "In the privacy settings choose Delete account; all of your data is erased after 14 days.",
    ),
    (
        "What are your opening hours?",
        "when is the shop open",
        "store closing time",
        "We are open from Monday to Saturday between 8 and 20.",
    ),
    (
        "How do I invite a colleague?",
        "add a team member",
        "share the workspace with a coworker",
        "Enter their address on the Members page and choose a role.",
    ),
    (
        "How do I export a report?",
        "download results as a spreadsheet",
        "save table to CSV",
        "Press Export above the table and choose CSV or PDF.",
    ),
    (
        "The printer does not print",
        "printing problem",
        "paper jam in the printer",
        "Check the cable, remove stuck paper and clear the print queue.",
    ),
    (
        "How do I bake bread?",
        "recipe for a loaf",
        "make dough with yeast and flour",
        "Mix flour, water, salt and yeast, let the dough rise and bake it in a hot oven.",
    ),
    (
        "How do I lose weight?",
        "healthy diet tips",
        "burn fat and get fit",
        "Eat more vegetables, exercise every day and avoid sugar.",
    ),
    (
        "What causes rain?",
        "why does it rain",
        "how clouds make water fall",
        "Water vapour cools and condenses into drops that become heavy and fall.",
    ),
    (
        "Why is the sky blue?",
        "colour of the sky explained",
        "Air molecules scatter short blue light waves more than red ones.",
    ),
    (
        "How do plants make food?",
        "photosynthesis explained",
        "leaves use sunlight",
        "Green leaves use light, water and carbon dioxide to make sugar and release oxygen.",
    ),
    (
        "How do vaccines work?",
        "immunity after a shot",
        "protection against infection by injection",
        "A harmless part of the germ teaches the immune system to recognise the disease.",
    ),
    (
        "A man is playing a guitar.",
        "A guy plays music on an instrument.",
        "Someone is strumming a guitar.",
    ),
    (
        "A woman is cutting vegetables.",
        "A lady chops an onion.",
        "Someone is slicing food in the kitchen.",
    ),
    (
        "A dog runs across the grass.",
        "A puppy is running through a field.",
        "The canine is racing outdoors.",
    ),
    (
        "Two children play in the park.",
        "Kids are playing outside.",
        "A boy and a girl have fun on the playground.",
    ),
    (
        "The stock market fell today.",
        "Shares dropped on Wall Street.",
        "Stocks closed lower as investors sold.",
    ),
    (
        "The president met the prime minister.",
        "Leaders of the two countries held talks.",
        "Heads of state had a meeting.",
    ),
    (
        "A plane is taking off.",
        "An aircraft leaves the runway.",
        "The jet departs from the airport.",
    ),
    (
        "The cat sleeps on the sofa.",
        "A kitten is napping on the couch.",
        "A feline rests on the furniture.",
    ),
    (
        "The train was late because of snow.",
        "Bad winter weather delayed the railway service.",
        "Heavy snowfall held up the train.",
    ),
    (
        "Scientists discovered a new planet.",
        "Astronomers found an unknown world around a star.",
        "A planet was detected by researchers.",
    ),
    (
        "The police arrested a suspect.",
        "Officers took a man into custody.",
        "A person was detained by law enforcement.",
    ),
    (
        "The earthquake damaged many buildings.",
        "Houses were destroyed by the quake.",
        "A strong tremor hit the town.",
    ),
    (
        "She enjoys reading novels at night.",
        "In the evening she likes to read fiction books.",
        "Books are her favourite thing before bed.",
    ),
    (
        "The team won the championship game.",
        "Our side took the title.",
        "They were victorious in the final match.",
    ),
    (
        "The bank raised interest rates.",
        "Borrowing money became more expensive.",
        "Loan costs went up after the central bank decision.",
    ),
]
