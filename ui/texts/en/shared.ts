export const shared = {
  /** In the order in which models are listed. */
  purposes: {
    chat: 'Chat',
    vision: 'Chat with pictures',
    embedding: 'Search, comparing texts',
    rerank: 'Search, ranking documents',
    stt: 'Speech, transcribing',
    diarization: 'Speech, transcribing with speakers',
    tts: 'Speech, speaking',
    image: 'Making pictures',
    moderation: 'Judging texts',
  },
  loading: 'Loading',
  retry: 'Retry',
  asTable: 'As a table',
  time: 'Time',
  seriesText: (label: string, newest: string, greatest: string, unit: string) =>
    `${label}: now ${newest || '0'} ${unit}, at most ${greatest} ${unit}.`,
  polling: 'Updates every 5 s: other tabs are told at once.',
  liveFailed: (why: string) => `No live figures: ${why}`,
  retryIn: (seconds: number) => `Possible again in ${seconds} s.`,
  stored: 'I have stored it',
  saveAsText: 'Download as text',
  printSlips: 'Print slips',
  secretLost: 'The secret was not copied yet and is shown only this once. Leave the page?',
  tryChat: 'Try the chat',
  showAll: 'Show all',
  cancel: 'Cancel',
  stop: 'Stop',
  close: 'Close',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied',
  pressCopy: 'Press Ctrl+C to copy.',
  requestId: 'Request id',
  stale: (age: string) => `This is from ${age}.`,
  never: 'never',
  none: 'none',
  code: 'Code',
  languages: 'Language of the code',
  download: (name: string) => `Download ${name}`,
  keyPlace: 'Set INFERD_API_KEY to one of your keys.',
  pagesOfList: 'Pages of the list',
  latest: 'Latest',
  older: 'Older',
  noJson: (line: number | undefined) =>
    `This is not yet JSON. Look at the quotes, commas and brackets${line === undefined ? '' : ` of line ${line}`}.`,
}

export const markdown = {
  code: 'code',
  picture: (alternative: string) =>
    `Picture, not loaded: ${alternative === '' ? 'without a description' : alternative}`,
  cut: (characters: number) =>
    `… ${characters.toLocaleString('en')} more characters are not shown; copying takes them all.`,
}
