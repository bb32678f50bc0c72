/** Which variable of which module an imported name stands for, also through modules that hand it on. */
import { WHOLE_MODULE, type Exports } from './exports.ts'

export interface ModuleVariable {
  /** What the variables of its module belong to. */
  module: object
  /** Its name there. */
  name: string
}

export class Exported {
  private readonly modules = new Map<string, { module: object; exports: Exports }>()
  /** What was looked up since the last module told what it exports, by module and name; null: no variable. */
  private known = new Map<string, Map<string, ModuleVariable | null>>()

  add(name: string, module: object, exports: Exports): void {
    this.modules.set(name, { module, exports })
    this.known = new Map()
  }

  /** Undefined: it does not change, or its module is not watched. */
  variable(module: string, name: string): ModuleVariable | undefined {
    let names = this.known.get(module)
    if (names === undefined) this.known.set(module, (names = new Map()))
    let found = names.get(name)
    if (found === undefined) names.set(name, (found = this.find(module, name, new Set()) ?? null))
    return found ?? undefined
  }

  /** `asked`: the modules on the way, which may hand on what they have from each other. */
  private find(module: string, name: string, asked: Set<string>): ModuleVariable | undefined {
    const found = this.modules.get(module)
    const question = `${module} ${name}`
    if (found === undefined || name === WHOLE_MODULE || asked.has(question)) return undefined
    asked.add(question)
    const { own, from, all } = found.exports
    if (hasOwn(own, name)) return { module: found.module, name: own[name] }
    if (hasOwn(from, name)) return this.find(from[name].module, from[name].name, asked)
    // The default is what `export *` leaves out.
    for (let i = 0; i < all.length && name !== 'default'; i++) {
      const variable = this.find(all[i], name, asked)
      if (variable !== undefined) return variable
    }
    return undefined
  }
}

const { hasOwn } = Object
