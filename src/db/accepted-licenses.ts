import { Store } from './rows.ts'

export interface AcceptedLicense {
  /** SPDX id, or `LicenseRef-…`. */
  readonly license: string
  /** `sha256:…` of the text that was accepted, or where it can be read. */
  readonly text: string
  /** Of which it was asked first. */
  readonly modelId: string
  readonly actor: string
  readonly createdMs: number
}

/** Which licences the operator has accepted. Writes belong in a transaction. */
export class AcceptedLicenses extends Store {
  /** Whether this is the first time. */
  accept({ license, text, modelId, actor }: Omit<AcceptedLicense, 'createdMs'>): boolean {
    const sql = `INSERT INTO accepted_licenses (license, text, model_id, actor, created)
      VALUES (:license, :text, :modelId, :actor, :created) ON CONFLICT DO NOTHING`
    return this.write(sql, { license, text, modelId, actor, created: this.clock() }) > 0
  }

  /** In the order of their names. */
  list(): AcceptedLicense[] {
    return this.all(
      'SELECT license, text, model_id AS modelId, actor, created AS createdMs FROM accepted_licenses ORDER BY license, text',
    )
  }
}
