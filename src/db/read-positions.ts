import { Store } from './rows.ts'

/** Ids of the last rows that readers of growing tables have passed on. Writes belong in a transaction. */
export class ReadPositions extends Store {
  /** Returns the position of a reader; undefined before its first row. */
  of(reader: string): number | undefined {
    const sql = 'SELECT position FROM read_positions WHERE reader = :reader'
    return this.first<{ position: number }>(sql, { reader })?.position
  }

  set(reader: string, position: number): void {
    this.write('INSERT OR REPLACE INTO read_positions (reader, position) VALUES (:reader, :position)', {
      reader,
      position,
    })
  }
}
