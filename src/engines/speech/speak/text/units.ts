/** Singular and plural of a unit or currency in English. */
type Words = readonly [one: string, several: string]

const byPlural = (one: string): Words => [one, `${one}s`]

/** Signs and codes before or after a number. */
export const currencies: Readonly<Record<string, { readonly unit: Words; readonly hundredth: Words }>> = {
  $: { unit: byPlural('dollar'), hundredth: byPlural('cent') },
  US$: { unit: byPlural('dollar'), hundredth: byPlural('cent') },
  '€': { unit: byPlural('euro'), hundredth: byPlural('cent') },
  '£': { unit: byPlural('pound'), hundredth: ['penny', 'pence'] },
  '¥': { unit: ['yen', 'yen'], hundredth: ['sen', 'sen'] },
  '₹': { unit: byPlural('rupee'), hundredth: ['paisa', 'paise'] },
  '₿': { unit: byPlural('bitcoin'), hundredth: byPlural('hundredth') },
  USD: { unit: byPlural('dollar'), hundredth: byPlural('cent') },
  EUR: { unit: byPlural('euro'), hundredth: byPlural('cent') },
  GBP: { unit: byPlural('pound'), hundredth: ['penny', 'pence'] },
}

/** Signs after a number. */
export const units: Readonly<Record<string, Words>> = {
  '%': ['percent', 'percent'],
  '‰': ['per mille', 'per mille'],
  '¢': byPlural('cent'),
  '°': byPlural('degree'),
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  km: byPlural('kilometer'),
  m: byPlural('meter'),
  cm: byPlural('centimeter'),
  mm: byPlural('millimeter'),
  nm: byPlural('nanometer'),
  'm²': byPlural('square meter'),
  'km²': byPlural('square kilometer'),
  'm³': byPlural('cubic meter'),
  ft: ['foot', 'feet'],
  mi: byPlural('mile'),
  kg: byPlural('kilogram'),
  g: byPlural('gram'),
  mg: byPlural('milligram'),
  lb: byPlural('pound'),
  lbs: byPlural('pound'),
  oz: byPlural('ounce'),
  l: byPlural('liter'),
  L: byPlural('liter'),
  ml: byPlural('milliliter'),
  h: byPlural('hour'),
  hr: byPlural('hour'),
  hrs: byPlural('hour'),
  min: byPlural('minute'),
  mins: byPlural('minute'),
  s: byPlural('second'),
  sec: byPlural('second'),
  ms: byPlural('millisecond'),
  'km/h': ['kilometer per hour', 'kilometers per hour'],
  'm/s': ['meter per second', 'meters per second'],
  mph: ['mile per hour', 'miles per hour'],
  kB: byPlural('kilobyte'),
  KB: byPlural('kilobyte'),
  MB: byPlural('megabyte'),
  GB: byPlural('gigabyte'),
  TB: byPlural('terabyte'),
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  W: byPlural('watt'),
  kW: byPlural('kilowatt'),
  kWh: byPlural('kilowatt hour'),
  V: byPlural('volt'),
}

export function wordsFor([one, several]: Words, number: string): string {
  return number === '1' ? one : several
}
