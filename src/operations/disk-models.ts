/** Models on the server's own disks, which operators name by a path. No folder is listed: a path is a model or it is not. */
import { Type } from '@sinclair/typebox'
import { lineOf } from './fields.ts'
import { actorOf, ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

const path = lineOf('is the whole path of a file or folder of the server, such as /media/disk/model.gguf', 4000)

/** Tells which model or which bundle is at a path. Changes nothing. */
export const findOnDisk = operation({
  callers: ['operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({ path }),
  prepare: async (context, { path: named }) => {
    const found = await runningServer(context).disk.find(named)
    if (found.kind === 'failure') throw new OperationError({ code: 'import_refused', reason: found.reason })
    return found
  },
  run: (_, __, prepared) => ofServer(prepared),
})

/**
 * Begins the import of the model at a path, which is linked or copied into the data folder. It runs in the server as a
 * download of the model, and ends with a trial in a process of its own.
 */
export const importModel = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ path, id: lineOf('is an id for the model, org/name', 200) }),
  prepare: async (context, { path: named, id }) => {
    const prepared = await runningServer(context).disk.prepare(named, id)
    if (prepared.kind === 'failure') throw new OperationError({ code: 'import_refused', reason: prepared.reason })
    return prepared
  },
  run: ({ stores, caller }, { path: named, id }, prepared) => {
    const { bytes, start } = ofServer(prepared)
    if (!start()) throw new OperationError({ code: 'pull_running', model: id })
    stores.audit.append({ actor: actorOf(caller), action: 'model.import', details: { model: id, path: named } })
    return { model: id, bytes }
  },
})
