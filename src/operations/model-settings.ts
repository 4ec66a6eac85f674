/** Operations on the settings of single models in the settings file. They count from the model's next load. */
import { Type } from '@sinclair/typebox'
import type { JsonObject } from '../core/json.ts'
import { auditors } from '../core/roles.ts'
import { fileVersion, lineOf, plainText } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'

const model = lineOf('is the id of a model', 200)

/** Lists all models with the settings that the file gives them. */
export const listModelSettings = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { settingsFile, modelSettings } = runningServer(context)
    return { version: settingsFile.version(), models: modelSettings.list() }
  },
})

/** Returns every setting that a model can have, with its value in the file and the one that it has without. */
export const showModelSettings = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({ model }),
  run: (context, { model }) => {
    const { settingsFile, modelSettings } = runningServer(context)
    return { version: settingsFile.version(), ...modelSettings.show(model) }
  },
})

/**
 * Writes settings of a model to the settings file, all or none; an empty text removes one. A model that is loaded has
 * them once it has no requests and the next one comes, or once `models-load` loads it again.
 */
export const setModelSettings = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    model,
    values: Type.Record(Type.String(), plainText(100), { minProperties: 1, description: 'gives settings their text' }),
    version: fileVersion,
  }),
  prepare: async (context, { model, values, version }) => {
    const { settingsFile, modelSettings } = runningServer(context)
    const before = valuesOf(modelSettings.show(model).settings)
    const old = settingsFile.version()
    const written = await settingsFile.setModelSettings(model, values, version)
    const shown = modelSettings.show(model)
    return { version: written, isWritten: written !== old, before, shown }
  },
  run: ({ stores, caller: { actor } }, { model }, prepared) => {
    const { version, isWritten, before, shown } = ofServer(prepared)
    if (isWritten) {
      const details = { model, before, after: valuesOf(shown.settings) }
      stores.audit.append({ actor, action: 'model.settings.set', details })
    }
    return { version, ...shown }
  },
})

function valuesOf(settings: readonly { readonly key: string; readonly own: unknown }[]): JsonObject {
  return Object.fromEntries(settings.flatMap(({ key, own }) => (own === undefined ? [] : [[key, String(own)]])))
}
