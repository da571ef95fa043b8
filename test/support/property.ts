import fc from 'fast-check';

/**
 * fast-check with one seed for every run, so that a property fails for whoever broke it and for nobody else.
 * `PROPERTY_SEED=random` looks further, a number repeats a failure.
 */
const wanted = process.env.PROPERTY_SEED ?? '20260101';
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(wanted === 'random' ? {} : { seed: Number(wanted) }) });

export default fc;
