package dev.headway.testkit.policy;

import dev.headway.api.request.Request;
import java.time.Duration;
import java.util.Random;

/** Requests of all kinds, the same for the same seed. */
final class RandomLoad {

  private static final int FAMILIES = 3;
  private static final int SHARED_TOKENS = 40;

  private final Random random;
  private int made;

  RandomLoad(long seed) {
    random = new Random(seed);
  }

  /** Lets none to three requests arrive. */
  void arrive(MiniScheduler scheduler) {
    for (int left = random.nextInt(4); left > 0; left--) {
      final Request request = next(1 + random.nextInt(200), 1 + random.nextInt(60));
      final int outputs = 1 + random.nextInt(request.stopRule().maxTokens());
      scheduler.arrive(request, outputs, random.nextInt(request.promptTokens()));
    }
  }

  /** Returns a request with these lengths; anything else is drawn. */
  Request next(int promptTokens, int maxTokens) {
    final int[] prompt = new int[promptTokens];
    final int family = random.nextInt(FAMILIES);
    for (int position = 0; position < promptTokens; position++) {
      prompt[position] = position < SHARED_TOKENS ? family : random.nextInt(1000);
    }
    final Request.Builder request =
        Request.builder("r" + made++, prompt)
            .maxTokens(maxTokens)
            .tenant("tenant-" + random.nextInt(4))
            .priority(random.nextInt(3));
    if (random.nextBoolean()) {
      request.ttftTarget(Duration.ofMillis(1 + random.nextInt(500)));
    }
    return request.build();
  }
}
