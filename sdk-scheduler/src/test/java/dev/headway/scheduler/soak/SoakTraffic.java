package dev.headway.scheduler.soak;

import dev.headway.api.engine.Engine;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Random requests of one thread: shared and lone prefixes, salts, adapters, priorities, deadlines,
 * every way to stop, cancellations, resets, and now and then what must be refused.
 */
final class SoakTraffic {

  static final int VOCABULARY = 1_000;
  private static final int RECENT = 64;

  private final String name;
  private final int maxModelLen;
  private final Engine engine;
  private final SoakTally tally;
  private final SplittableRandom random;
  private final SoakRequest[] recent = new SoakRequest[RECENT];
  private long number;

  SoakTraffic(String name, long seed, int maxModelLen, Engine engine, SoakTally tally) {
    this.name = name;
    this.maxModelLen = maxModelLen;
    this.engine = engine;
    this.tally = tally;
    this.random = new SplittableRandom(seed);
  }

  /** Submits a request, and perhaps cancels one or asks for a reset. */
  void act() {
    submit();
    if (oneIn(8)) {
      recent[random.nextInt((int) Math.min(number, RECENT))].cancel();
    }
    if (oneIn(5_000)) {
      engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
      tally.count("reset");
    }
  }

  private void submit() {
    final Request request = next();
    final int throwsAt = oneIn(100) ? random.nextInt(-1, 8) : Integer.MIN_VALUE;
    final SoakRequest submitted = new SoakRequest(request.id(), tally, index -> index == throwsAt);
    tally.submitted.incrementAndGet();
    submitted.submittedAs(engine.submit(request, submitted));
    recent[(int) (number++ % RECENT)] = submitted;
  }

  /** Checks the last requests; when all is over. */
  void requireDone() {
    for (SoakRequest request : recent) {
      if (request != null) {
        request.requireDone();
      }
    }
  }

  private Request next() {
    // an id of the recent past may be in use still
    final long id = oneIn(50) ? Math.max(0, number - random.nextInt(20)) : number;
    final Request.Builder builder =
        Request.builder(name + id, prompt())
            .stopRule(stopRule())
            .priority(random.nextInt(4))
            .prefixReuse(oneIn(20) ? PrefixReuse.SKIPPED : PrefixReuse.ALLOWED);
    if (oneIn(4)) {
      builder.cacheSalt(oneIn(2) ? "salt" + random.nextInt(3) : "salt of " + name + number);
    }
    if (oneIn(8)) {
      final int adapter = 1 + random.nextInt(3);
      builder.lora(new LoraAdapter(adapter, "adapter" + adapter));
    }
    if (oneIn(10)) {
      builder.timeout(Duration.ofNanos(1 + random.nextInt(100_000_000)));
    }
    return builder.build();
  }

  private int[] prompt() {
    final int length = oneIn(50) ? maxModelLen : 1 + random.nextInt(maxModelLen * 2 / 3);
    final int shared = oneIn(3) ? 0 : random.nextInt(length + 1);
    final int family = random.nextInt(5);
    final int[] prompt = new int[length];
    for (int i = 0; i < length; i++) {
      prompt[i] = i < shared ? (family * 131 + i) % VOCABULARY : random.nextInt(VOCABULARY);
    }
    if (oneIn(200)) {
      prompt[random.nextInt(length)] = VOCABULARY;
    }
    return prompt;
  }

  private StopRule stopRule() {
    final StopRule rule = StopRule.maxTokens(1 + random.nextInt(oneIn(20) ? maxModelLen : 24));
    return switch (random.nextInt(4)) {
      case 0 -> rule.withEosTokenId(random.nextInt(VOCABULARY)).withMinTokens(1);
      case 1 -> rule.withStopTokenIds(random.ints(40, 0, VOCABULARY).toArray());
      default -> rule;
    };
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }
}
