/** Words for speaking and listening, on every page that does. */
export const voice = {
  level: 'Input level',
  microphone: {
    insecure: 'Browsers give the microphone to pages over https or on the same machine only.',
    denied:
      'The browser does not let this page use the microphone. Allow it in the settings of this site, then try again.',
    none: 'This machine has no microphone. Plug one in.',
    failed: 'The microphone cannot be used now. Another program may have it.',
  },
  forward: 'On your own machine run',
  command: 'command',
  forwarded: (address: string) => `and open ${address}.`,
  tls: 'How the server gets https',
  read: 'Read aloud',
  readBy: (model: string, price: string) => `Read aloud by ${model}, ${price}`,
  stopReading: 'Stop reading',
  cutAt: (characters: number) => `Only the first ${characters.toLocaleString('en')} characters are read aloud.`,
  nothingToRead: 'There are no words to read aloud in this answer.',
  dictate: 'Dictate',
  dictateBy: (model: string, price: string) => `Dictate: ${model} writes down what you say, ${price}`,
  asking: 'Waiting for the microphone …',
  writing: 'Writing it down …',
  noSpeech: 'No speech was found in the recording.',
}
