/** Spoken form of web and mail addresses. */

const url = /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"]{1,2000}/gi
const mail = /\b(?:mailto:)?([\w.+-]{1,64})@((?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24})\b/gi

/** Longest path that is read aloud, in characters. Of longer addresses only the site is read. */
const readablePathLength = 40

const englishMarks: Readonly<Record<string, string>> = {
  '.': ' dot ',
  '/': ' slash ',
  '-': ' dash ',
  _: ' underscore ',
  '+': ' plus ',
  '@': ' at ',
  '~': ' tilde ',
  ':': ' colon ',
}

/**
 * Returns the text with addresses as spoken: `https://example.com/docs?x=1` becomes "example dot com slash docs" in
 * English. In other languages dots and slashes are left to the voice.
 */
export function readAddresses(text: string, isEnglish: boolean): string {
  const say = (address: string) => (isEnglish ? inWords(address) : address)
  return text
    .replace(url, (found) => {
      // Punctuation after an address belongs to the sentence.
      const [, address = '', end = ''] = /^(.*?)([.,;:!?)\]}'*]*)$/.exec(found) ?? []
      return `${say(withoutDetails(address))}${end}`
    })
    .replace(mail, (_, name: string, host: string) => say(`${name}@${host}`))
}

/** Returns host and path, without the parts for machines. */
function withoutDetails(address: string): string {
  const [place = ''] = address.replace(/^\w+:\/\//, '').split(/[?#]/)
  const [host = '', ...path] = place.replace(/^www\.|\/+$/gi, '').split('/')
  const whole = [host, ...path].join('/')
  return whole.length - host.length > readablePathLength || whole.includes('%') ? host : whole
}

function inWords(address: string): string {
  return address
    .replace(/[./_+@~:-]/g, (mark) => englishMarks[mark] ?? ' ')
    .replace(/ +/g, ' ')
    .trim()
}
