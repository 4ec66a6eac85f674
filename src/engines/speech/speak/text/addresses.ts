/** How addresses of pages and of mail are read. */

const url = /\b(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"]{1,2000}/gi
const mail = /\b(?:mailto:)?([\w.+-]{1,64})@((?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24})\b/gi

/** A longer path says nothing to somebody who listens: its site is read alone. */
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
 * Addresses as they are said: `https://example.com/docs?x=1` is "example dot com slash docs", in English. In other languages
 * their marks stay, for the voice's own way with them.
 */
export function readAddresses(text: string, isEnglish: boolean): string {
  const say = (address: string) => (isEnglish ? inWords(address) : address)
  return text
    .replace(url, (found) => {
      // Punctuation behind an address belongs to the sentence.
      const [, address = '', end = ''] = /^(.*?)([.,;:!?)\]}'*]*)$/.exec(found) ?? []
      return `${say(withoutDetails(address))}${end}`
    })
    .replace(mail, (_, name: string, host: string) => say(`${name}@${host}`))
}

/** Host and path, without what only machines read. */
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
