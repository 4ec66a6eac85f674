export const markdown = {
  code: 'code',
  picture: (alternative: string) =>
    `Picture, not loaded: ${alternative === '' ? 'without a description' : alternative}`,
  cut: (characters: number) =>
    `… ${characters.toLocaleString('en')} more characters are not shown; copying takes them all.`,
}
