/** Operations on the settings file of the running server. Changes take effect at the next start. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import { fileVersion, plainText } from './fields.ts'
import { type OperationContext, ofServer, operation, runningServer } from './operation.ts'
import { ownPassword, requireOwnPassword } from './own-password.ts'

type Context = OperationContext<'operator'>

/** Lists every setting with its value in force, source, default, meaning, and value at the next start. Secrets are `(set)`. */
export const listSettings = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { settings, restart } = runningServer(context)
    return { ...settings(), canRestart: restart !== undefined }
  },
})

/**
 * Writes settings to the settings file, all or none: some need each other. Values are text as after a flag, and a
 * refusal names the setting as its field.
 */
export const setSettings = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    values: Type.Record(Type.String(), plainText(10_000), {
      minProperties: 1,
      description: 'gives settings their text',
    }),
    version: fileVersion,
    /** For settings that are guarded. */
    current: ownPassword,
  }),
  prepare: (context, { values, ...rest }) => changeFile(context, values, rest),
  run: (context, _, changed) => audited(context, 'settings.set', ofServer(changed)),
})

/** Removes settings from the settings file, all or none, so that their defaults are in force again. */
export const unsetSettings = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    names: Type.Array(Type.String(), { minItems: 1, maxItems: 200, description: 'lists names of settings' }),
    version: fileVersion,
    /** For settings that are guarded. */
    current: ownPassword,
  }),
  prepare: (context, { names, ...rest }) =>
    changeFile(context, Object.fromEntries(names.map((name) => [name, undefined])), rest),
  run: (context, _, changed) => audited(context, 'settings.unset', ofServer(changed)),
})

/** Changes the file. Undefined removes a setting. Returns each one's value at the next start, before and after. */
async function changeFile(
  context: Context,
  texts: Readonly<Record<string, string | undefined>>,
  { version, current }: { readonly version?: string | undefined; readonly current?: string | undefined },
) {
  const server = runningServer(context)
  const shown = () => server.settings().settings.filter(({ name }) => Object.hasOwn(texts, name))
  if (shown().some(({ isGuarded }) => isGuarded)) await requireOwnPassword(context, current)
  const before = new Map(shown().map(({ name, next }) => [name, next]))
  const old = server.settingsFile.version()
  const written = await server.settingsFile.setSettings(texts, version)
  const settings = shown().map(({ name, next: after, decidedBy, needsRestart }) => {
    return { name, before: before.get(name), after, decidedBy, needsRestart }
  })
  return { version: written, settings, isWritten: written !== old }
}

type ChangedSettings = Awaited<ReturnType<typeof changeFile>>

/** Notes each change, none where the file stays. Values of secrets are `(set)` already. */
function audited({ stores, caller: { actor } }: Context, action: string, changed: ChangedSettings): ChangedSettings {
  if (!changed.isWritten) return changed
  for (const { name, before = null, after = null } of changed.settings)
    stores.audit.append({ actor, action, details: { name, before, after } })
  return changed
}
