/*
 * The projection of src/finance/collateral.ts in plain C: the same loans, chunks, groups and order of sums, without packing of
 * columns. Usage: cashflow LOANS MONTHS BY_AGE THREADS RUNS. Prints one line of JSON: times of the fastest run in ms, and sums to compare.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 8192, FLOWS = 5, AGES = 60 };
enum { SCHEDULED, PREPAYMENT, DEFAULTED, INTEREST, CLOSING };

static int loans, periods, by_age, lag = 6;
static double *balance0, *rate;
static int *months, *age;
static double *smm[AGES], *mdr[AGES];
static atomic_int next_chunk;
static double *flows;

static double principal(double b, double r, int n) { return r == 0 ? b / n : b * r / expm1(n * log1p(r)); }

static void add_level(int from, int to, double *restrict balance, double *restrict interest) {
  int row = from;
  for (; row + 4 <= to; row += 4) {
    int n = months[row];
    double a = balance0[row], b = balance0[row + 1], c = balance0[row + 2], d = balance0[row + 3];
    double ra = rate[row], rb = rate[row + 1], rc = rate[row + 2], rd = rate[row + 3];
    double ga = 1 + ra, gb = 1 + rb, gc = 1 + rc, gd = 1 + rd;
    double pa = principal(a, ra, n), pb = principal(b, rb, n), pc = principal(c, rc, n), pd = principal(d, rd, n);
    for (int m = 0; m < n; m++) {
      balance[m] += a + b + (c + d);
      interest[m] += a * ra + b * rb + (c * rc + d * rd);
      a -= pa, b -= pb, c -= pc, d -= pd;
      pa *= ga, pb *= gb, pc *= gc, pd *= gd;
    }
  }
  for (; row < to; row++) {
    int n = months[row];
    double b = balance0[row], r = rate[row], p = principal(b, r, n);
    for (int m = 0; m < n; m++) {
      balance[m] += b;
      interest[m] += b * r;
      b -= p;
      p *= 1 + r;
    }
  }
}

static void apply(int n, int a, const double *balance, const double *interest, double *out) {
  const double *s = smm[by_age ? a : 0], *d = mdr[by_age ? a : 0];
  double surviving = 1;
  for (int m = 0; m < n; m++) {
    double defaulting = m < n - lag ? surviving * d[m] : 0;
    double paying = surviving - defaulting;
    double prepaying = fmin(surviving * s[m], paying);
    surviving = paying - prepaying;
    out[SCHEDULED * periods + m] += paying * (balance[m] - balance[m + 1]);
    out[PREPAYMENT * periods + m] += prepaying * balance[m + 1];
    out[DEFAULTED * periods + m] += defaulting * balance[m];
    out[INTEREST * periods + m] += paying * interest[m];
    out[CLOSING * periods + m] += surviving * balance[m + 1];
  }
}

static void project_chunk(int chunk, double *balance, double *interest) {
  double *out = flows + (size_t)chunk * FLOWS * periods;
  int end = (chunk + 1) * CHUNK < loans ? (chunk + 1) * CHUNK : loans;
  memset(out, 0, sizeof(double) * FLOWS * periods);
  for (int from = chunk * CHUNK; from < end;) {
    int to = from + 1;
    while (to < end && months[to] == months[from] && (!by_age || age[to] == age[from])) to++;
    memset(balance, 0, sizeof(double) * (months[from] + 1));
    memset(interest, 0, sizeof(double) * months[from]);
    add_level(from, to, balance, interest);
    apply(months[from], age[from], balance, interest, out);
    from = to;
  }
}

static void *work(void *unused) {
  (void)unused;
  double *balance = malloc(sizeof(double) * (periods + 1)), *interest = malloc(sizeof(double) * periods);
  int chunks = (loans + CHUNK - 1) / CHUNK, chunk;
  while ((chunk = atomic_fetch_add(&next_chunk, 1)) < chunks) project_chunk(chunk, balance, interest);
  free(balance);
  free(interest);
  return NULL;
}

static double read_ms(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  loans = atoi(argv[1]);
  int longest = atoi(argv[2]), threads = atoi(argv[4]), runs = atoi(argv[5]);
  by_age = atoi(argv[3]);
  balance0 = malloc(sizeof(double) * loans), rate = malloc(sizeof(double) * loans);
  months = malloc(sizeof(int) * loans), age = malloc(sizeof(int) * loans);
  for (int row = 0; row < loans; row++) {
    if (scanf("%lf %lf %d %d", &balance0[row], &rate[row], &months[row], &age[row]) != 4) return 3;
  }
  periods = longest;
  for (int a = 0; a < AGES; a++) {
    smm[a] = malloc(sizeof(double) * periods), mdr[a] = malloc(sizeof(double) * periods);
    for (int m = 0; m < periods; m++) {
      double ramp = fmin(30, a + m + 1) * 0.002 * 1.5;
      smm[a][m] = 1 - pow(1 - (by_age ? ramp : 0.06), 1.0 / 12);
      mdr[a][m] = 1 - pow(1 - 0.015, 1.0 / 12);
    }
  }
  int chunks = (loans + CHUNK - 1) / CHUNK;
  flows = malloc(sizeof(double) * chunks * FLOWS * periods);
  double *times = malloc(sizeof(double) * runs), *cpu = malloc(sizeof(double) * runs), total[FLOWS];
  for (int run = 0; run < runs; run++) {
    double start = read_ms(CLOCK_MONOTONIC), cpu_start = read_ms(CLOCK_PROCESS_CPUTIME_ID);
    atomic_store(&next_chunk, 0);
    pthread_t ids[64];
    for (int t = 1; t < threads; t++) pthread_create(&ids[t], NULL, work, NULL);
    work(NULL);
    for (int t = 1; t < threads; t++) pthread_join(ids[t], NULL);
    memset(total, 0, sizeof total);
    for (int chunk = 0; chunk < chunks; chunk++)
      for (int flow = 0; flow < FLOWS; flow++)
        for (int m = 0; m < periods; m++) total[flow] += flows[((size_t)chunk * FLOWS + flow) * periods + m];
    times[run] = read_ms(CLOCK_MONOTONIC) - start;
    cpu[run] = read_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
  }
  qsort(times, runs, sizeof(double), by_value);
  qsort(cpu, runs, sizeof(double), by_value);
  printf("{\"ms\":%.3f,\"cpuMs\":%.3f,\"scheduled\":%.6f,\"defaulted\":%.6f,\"interest\":%.6f}\n", times[0], cpu[0],
         total[SCHEDULED], total[DEFAULTED], total[INTEREST]);
  return 0;
}
