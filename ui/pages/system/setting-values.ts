/** Settings as the page's forms show and send them. */
import type { OperationJson } from '../../../src/operations/money-text.ts'

export type Setting = OperationJson<'settings-list'>['settings'][number]

/** Settings that need each other, so that one form changes them. */
const together: readonly (readonly Setting['name'][])[] = [
  ['smtp-host', 'smtp-port', 'smtp-security', 'smtp-user', 'smtp-password', 'mail-from'],
]

/** Returns the settings of the form that changes this one. */
export function togetherWith(setting: Setting, settings: readonly Setting[]): Setting[] {
  const names = together.find((each) => each.includes(setting.name)) ?? [setting.name]
  return settings.filter(({ name }) => names.includes(name))
}

/** Returns a value as it is typed. Empty for none. */
export function settingText(value: Setting['value']): string {
  if (value === null) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Returns the text that a field begins with: the value at the next start. A secret's is empty. */
export function firstText({ isSecret, next }: Setting): string {
  return isSecret ? '' : settingText(next)
}

export interface SettingChanges {
  /** Text by name of the setting. */
  readonly values: Readonly<Record<string, string>>
  /** Settings that go back to their defaults. */
  readonly names: readonly string[]
}

/** Returns what a form changes. An emptied field means the default, an empty secret means no change. */
export function changesOf(rows: readonly Setting[], field: (name: string) => string): SettingChanges {
  const changed = rows.filter((row) => field(row.name) !== firstText(row))
  return {
    values: Object.fromEntries(changed.flatMap(({ name }) => (field(name) === '' ? [] : [[name, field(name)]]))),
    names: changed.filter(({ name }) => field(name) === '').map(({ name }) => name),
  }
}
