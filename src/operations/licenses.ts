import { Type } from '@sinclair/typebox'
import { lineOf } from './fields.ts'
import { actorOf, operation } from './operation.ts'

/** Keeps that the operator accepts a licence. A second time changes nothing. */
export const acceptLicense = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    license: lineOf('is named by its id', 200),
    text: lineOf('is the sum of a text or its address', 2000),
    modelId: lineOf('is named by its id', 200),
  }),
  run: ({ stores, caller }, { license, text, modelId }) => {
    const actor = actorOf(caller)
    const isFirst = stores.acceptedLicenses.accept({ license, text, modelId, actor })
    if (isFirst) stores.audit.append({ actor, action: 'license.accept', details: { license, text, model: modelId } })
    return { license, text, isFirst }
  },
})

/** Licences that were accepted. */
export const listLicenses = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.acceptedLicenses.list(),
})
