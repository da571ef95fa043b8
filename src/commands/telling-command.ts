import { Command } from 'commander';

/** A command that tells everything it lacks at once; its library ends at the first option. */
export class TellingCommand extends Command {
  override createCommand(name?: string): Command {
    return new TellingCommand(name);
  }

  /** The library calls it at the first option that is missing. */
  missingMandatoryOptionValue(): never {
    const names = this.registeredArguments.filter(({ required }, place) => required && this.args[place] === undefined);
    const options = this.options.filter((each) => each.mandatory && this.getOptionValue(each.attributeName()) === undefined);
    const lacking = [
      ...names.map((each) => `required argument '${each.name()}' missing`),
      ...options.map(({ flags }) => `required option '${flags}' not specified`),
    ];
    this.error(`error: ${lacking.join('\nerror: ')}`, { code: 'commander.missingMandatoryOptionValue' });
  }
}
