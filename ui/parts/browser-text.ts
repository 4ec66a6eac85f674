import { texts } from '../texts/texts.ts'

/** Browsers by their mark. The first match counts, because browsers also carry the marks of their ancestors. */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]

const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Returns "Firefox on Linux"; the beginning of the user agent for unknown browsers, undefined if it is empty. */
export function browserText(userAgent: string): string | undefined {
  const browser = browsers.find(([mark]) => mark.test(userAgent))?.[1]
  const system = systems.find(([mark]) => mark.test(userAgent))?.[1]
  if (browser === undefined) return userAgent === '' ? undefined : userAgent.slice(0, 60)
  return system === undefined ? browser : texts.ownAccount.on(browser, system)
}
