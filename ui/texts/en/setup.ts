export const setup = {
  title: 'Set up inferd',
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
    'It was cut, or it was used before the page was loaded again. On the server’s machine this command prints a new one:',
  refused: 'This link does not work any more',
  command: 'inferd admin link',
  signIn: 'Sign in by name and password',
}
