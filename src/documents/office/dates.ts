import { attribute, readXml } from './xml.ts'

/** Number formats of dates and times that files do not describe. */
const knownFormats = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]

/** Returns for each style of a workbook whether it shows numbers as dates. */
export function dateStyles(xml: string): boolean[] {
  const formats = new Set(knownFormats)
  const styles: boolean[] = []
  let isCell = false
  for (const token of readXml(xml)) {
    if (token.type === 'text') continue
    if (token.name === 'cellXfs') isCell = token.type === 'open' && !token.isEmpty
    if (token.type !== 'open') continue
    const id = Number(attribute(token.attributes, 'numFmtId'))
    if (token.name === 'numFmt' && isDateFormat(attribute(token.attributes, 'formatCode'))) formats.add(id)
    if (token.name === 'xf' && isCell) styles.push(formats.has(id))
  }
  return styles
}

/** Returns whether a format has parts of a date outside quoted words, colours and escapes. */
function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
}

const dayMs = 86_400_000
/** Day 0 of Excel's calendar, which counts a day too many before March 1900. */
const dayZeroMs = Date.UTC(1899, 11, 30)
/** The year 10000. */
const daysLimit = 2_958_466

/** Returns a number of days as a date, with the time if it has one. Other numbers stay numbers. */
export function dateText(days: number): string {
  if (!(days >= 0 && days < daysLimit)) return String(days)
  const text = new Date(dayZeroMs + Math.round(days * 86_400) * 1000).toISOString()
  const [date = '', time = ''] = text.slice(0, 19).split('T')
  if (days * dayMs < dayMs) return time
  return time === '00:00:00' ? date : `${date} ${time}`
}
