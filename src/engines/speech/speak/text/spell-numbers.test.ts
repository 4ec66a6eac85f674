import { expect, test } from 'bun:test'
import { spellNumbers } from './spell-numbers.ts'

const readings: Readonly<Record<string, string>> = {
  '42': 'forty two',
  '3.14': 'three point one four',
  '-7': 'minus seven',
  '.5': 'point five'.replace('point', 'zero point'),
  '1,234,567': 'one million two hundred thirty four thousand five hundred sixty seven',
  '007': 'zero zero seven',
  '1st, 22nd and 103rd': 'first, twenty second and one hundred third',
  'in 1984': 'in nineteen eighty four',
  'in 2005': 'in two thousand five',
  'in 1905': 'in nineteen oh five',
  '1990s': 'nineteen nineties',
  "the '80s": 'the eighties',
  '2010-2015': 'twenty ten to twenty fifteen',
  '10-20 people': 'ten to twenty people',
  '5 - 3': 'five minus three',
  '3:05 pm': 'three oh five pee em',
  '9:00': "nine o'clock",
  '15:30:20': 'fifteen thirty and twenty seconds',
  '2024-01-05': 'January fifth, twenty twenty four',
  '2024-01-05T10:30:00Z': 'January fifth, twenty twenty four ten thirty',
  '3/4/2021': 'March fourth, twenty twenty one',
  '31/12/2021': 'December thirty first, twenty twenty one',
  'July 4th, 1776': 'July fourth, seventeen seventy six',
  '12 March': 'the twelfth of March',
  '$3.50': 'three dollars and fifty cents',
  $1: 'one dollar',
  '$1.00': 'one dollar',
  $0: 'zero dollars',
  '£0.01': 'one penny',
  '-$5': 'minus five dollars',
  '€2.5 million': 'two point five million euros',
  $10k: 'ten thousand dollars',
  '5 USD': 'five dollars',
  '12.5 %': 'twelve point five percent',
  '20°C and -5°': 'twenty degrees Celsius and minus five degrees',
  '1 km, 5 km/h, 16GB': 'one kilometer, five kilometers per hour, sixteen gigabytes',
  '555-123-4567': 'five five five, one two three, four five six seven',
  '+44 20 7946 0958': 'plus four four, two zero, seven nine four six, zero nine five eight',
  '192.168.0.1': 'one hundred ninety two point one hundred sixty eight point zero point one',
  '1/2 cup, 3/4, 2½, 9/11': 'one half cup, three quarters, two and one half, nine elevenths',
  '24/7': 'twenty four seven',
  '#5': 'number five',
  'mp3 and B2B': 'mp three and B two B',
  '2x4': 'two by four',
  '12345678901234567890':
    'one two three four five six seven eight nine zero one two three four five six seven eight nine zero',
  'no digits here': 'no digits here',
}

test.each(Object.entries(readings))('%s', (written, said) => {
  expect(spellNumbers(written)).toBe(said)
})

test('no digit is left, whatever the numbers are', () => {
  const odd = [
    '99:99',
    '13/13/2021',
    '2021-13-45',
    '0/0',
    '1.2.3.4.5.6.7.8.9.10.11.12.13',
    '9'.repeat(500),
    '$',
    '$1.2.3',
    '+1',
    '1e10',
    '0x1F',
    '1,2,3',
    '1,23',
    '5%-6%',
  ]
  for (const text of odd) expect(spellNumbers(text)).not.toMatch(/\d/)
})
