import { operatorTitles } from './operator-titles.ts'

export const setup = {
  title: operatorTitles.setup,
  intro: 'This browser becomes the operator’s. Choose the name and the password by which you sign in from now on.',
  name: 'Name',
  nameHint: 'You sign in with it, as the operator has no mail address.',
  usualName: 'Operator',
  password: 'Password',
  passwordHint: 'At least 8 characters. A few words are better than a short one with signs.',
  again: 'Password again',
  differs: 'The two passwords differ.',
  length: (characters: number) => `${characters} ${characters === 1 ? 'character' : 'characters'}`,
  button: 'Continue',
  incomplete: 'This link is not complete',
  incompleteText:
    'A part of it is missing, or this page was loaded again: then open the link once more. On the server’s machine this command prints a new one:',
  refused: 'This link does not work any more',
  signIn: 'Sign in by name and password',
  ready: {
    title: 'You are the operator',
    intro: 'This is what programs need. All of it can be found again later, but for the key.',
    address: 'Base URL',
    key: 'First key',
    keyHint: 'Programs sign in with a key. It is shown once.',
    keyLabel: 'API key',
    keyName: 'first',
    makeKey: 'Create a key',
    model: 'Starter model',
    tryIt: 'Try the starter model',
    toOverview: 'Go to the overview',
  },
}
