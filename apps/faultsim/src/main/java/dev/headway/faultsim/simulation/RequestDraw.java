package dev.headway.faultsim.simulation;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Draws requests; each is a function of the seed and its number. */
final class RequestDraw {

  private static final String[] TENANTS = {"a", "b", "c"};
  private static final HoldReason[] HOLDS = HoldReason.values();
  private static final int EOS = 3;

  private final long seed;
  private final Drawn drawn;
  private final int maxModelLen;
  private final int longestPrompt;
  private final Dice dice = new Dice();

  RequestDraw(long seed, Drawn drawn) {
    this.seed = seed;
    this.drawn = drawn;
    final SchedulerConfig config = drawn.config();
    maxModelLen = config.limits().maxModelLen();
    int longest = 1;
    for (int tokens = 1; tokens < maxModelLen; tokens++) {
      if (drawn.kvCache().blocksToHold(tokens, config.inFlightTokenLimit(), maxModelLen)
          <= drawn.kvCache().usableBlocks()) {
        longest = tokens;
      }
    }
    longestPrompt = longest;
  }

  private boolean has(Feature feature) {
    return drawn.has(feature);
  }

  /**
   * A request.
   *
   * @param number says which
   * @param id its name
   */
  Request request(long number, String id) {
    dice.start(seed, "request", number);
    final boolean isServable = !(has(Feature.UNSERVABLE) && dice.oneIn(12));
    final int[] prompt = prompt(isServable);
    final List<MultiModalItem> items = new ArrayList<>();
    if (has(Feature.ITEMS) && dice.oneIn(2)) {
      putItems(prompt, items, dice.below(4), isServable);
    }
    final Request.Builder request =
        Request.builder(id, prompt).stopRule(stopRule(prompt.length, isServable)).items(items);
    request.priority(dice.below(4));
    if (has(Feature.SALTS) && dice.oneIn(2)) {
      request.cacheSalt("salt " + dice.below(2));
    }
    if (has(Feature.SKIPPED_REUSE) && dice.oneIn(4)) {
      request.prefixReuse(PrefixReuse.SKIPPED);
    }
    if (has(Feature.ADAPTERS) && dice.oneIn(2)) {
      final int adapter = 1 + dice.below(3);
      request.lora(new LoraAdapter(adapter, "adapter " + adapter));
    }
    if (has(Feature.DEADLINES) && dice.oneIn(3)) {
      request.timeout(timeout());
    }
    if (has(Feature.PHASE_TIMEOUTS)) {
      drawPhaseTimeouts(request);
    }
    if (has(Feature.TTFT_TARGETS) && dice.oneIn(2)) {
      request.ttftTarget(Duration.ofMillis(1 + dice.below(200)));
    }
    if (has(Feature.TENANTS)) {
      request.tenant(dice.pick(TENANTS));
    }
    if (has(Feature.LOGPROBS) && dice.oneIn(2)) {
      request.sampling(SamplingParams.builder().logprobs(dice.below(3)).build());
      request.kvReport(KvReport.FULL);
    }
    if (has(Feature.KV_RETENTION) && drawn.config().prefixCache().isEnabled() && dice.oneIn(3)) {
      request.kvCacheRetention(retention(prompt.length));
    }
    if (has(Feature.HOLDS) && dice.oneIn(3)) {
      for (int left = 1 + dice.below(2); left > 0; left--) {
        request.hold(hold());
      }
    }
    if (has(Feature.SESSIONS) && dice.oneIn(3)) {
      request.resumable();
      if (dice.oneIn(4)) {
        request.inputTimeout(timeout());
      }
    }
    return request.build();
  }

  /**
   * Further input of a session.
   *
   * @param number says which
   * @param isForeign whether it has a token of no vocabulary
   */
  SessionInput input(long number, boolean isForeign) {
    dice.start(seed, "input", number);
    final int[] tokens = new int[1 + dice.below(dice.oneIn(6) ? longestPrompt : 8)];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = dice.below(4);
    }
    final List<MultiModalItem> items = new ArrayList<>();
    if (has(Feature.ITEMS) && dice.oneIn(2)) { // the turn before may end with an item
      final int room = 2 * drawn.config().speculation().prefillLookaheadTokens();
      putItems(tokens, items, room + dice.below(4), true);
    }
    if (isForeign) {
      tokens[dice.below(tokens.length)] = Drawn.VOCABULARY;
    }
    return SessionInput.of(stopRule(tokens.length, true), tokens).withItems(items);
  }

  private KvCacheRetention retention(int promptTokens) {
    final Duration duration = Duration.ofMillis(1 + dice.below(400));
    final int priority = dice.oneIn(3) ? KvCacheRetention.PINNED : dice.below(101);
    final KvCacheRetention.Builder retention =
        KvCacheRetention.builder().tokens(0, 1 + dice.below(promptTokens), priority, duration);
    if (dice.oneIn(2)) {
      retention.decode(dice.below(KvCacheRetention.PINNED + 1));
    }
    return retention.build();
  }

  private void drawPhaseTimeouts(Request.Builder request) {
    if (dice.oneIn(3)) {
      request.queueTimeout(timeout());
    }
    if (dice.oneIn(3)) {
      request.runTimeout(timeout());
    }
  }

  private int[] prompt(boolean isServable) {
    final int length = isServable ? 1 + dice.below(longestPrompt) : 1 + dice.below(maxModelLen + 2);
    final int[] prompt = new int[length];
    int common = 0;
    int text = 0;
    if (has(Feature.SHARED_PREFIXES)) {
      text = dice.below(3);
      common = dice.oneIn(3) ? length : dice.below(length + 1);
    }
    for (int i = 0; i < length; i++) {
      prompt[i] = i < common ? (text * 17 + i * 5) % Drawn.VOCABULARY : dice.below(4);
    }
    if (!isServable && dice.oneIn(4)) {
      prompt[dice.below(length)] = Drawn.VOCABULARY + dice.below(2);
    }
    return prompt;
  }

  /**
   * Images in a prompt from a position on, few different ones; with room between those that modules
   * look ahead to.
   */
  private void putItems(int[] prompt, List<MultiModalItem> items, int from, boolean isServable) {
    final EncoderOptions encoder = drawn.config().encoder();
    final int lookahead = drawn.config().speculation().prefillLookaheadTokens();
    final boolean isWhole =
        lookahead > 0 && encoder.chunkedMmInput() == ChunkedMmInput.DISABLED && isServable;
    final int most = encoder.maxItemEmbeddings() + (isServable ? 0 : 2);
    int at = from;
    while (!isWhole) {
      final int length = 1 + dice.below(most);
      final String hash = "image " + dice.below(3) + " of " + length;
      if (at + length > prompt.length) {
        return;
      }
      Arrays.fill(prompt, at, at + length, 1);
      items.add(
          dice.oneIn(6)
              ? MultiModalItem.withoutEncoder(hash, at, length)
              : MultiModalItem.of(hash, at, length));
      at += length + 2 * lookahead + dice.below(4);
    }
  }

  private StopRule stopRule(int promptTokens, boolean isServable) {
    final int longest = has(Feature.LONG_OUTPUTS) ? maxModelLen : 12;
    final int maxTokens = dice.oneIn(100) ? Integer.MAX_VALUE : 1 + dice.below(longest);
    StopRule rule = StopRule.maxTokens(maxTokens);
    if (has(Feature.MIN_TOKENS) && dice.oneIn(2)) {
      final int room = isServable ? maxModelLen - promptTokens : 2 * maxModelLen;
      rule = rule.withMinTokens(dice.below(Math.max(0, Math.min(maxTokens, room)) + 1));
    }
    if (has(Feature.STOP_TOKENS)) {
      rule = dice.oneIn(2) ? rule.withEosTokenId(EOS) : rule.withStopTokenIds(4, 5);
      rule = dice.oneIn(5) ? rule.ignoringEos() : rule;
    }
    if (has(Feature.REPETITION) && dice.oneIn(2)) {
      final int shortest = 1 + dice.below(2);
      rule =
          rule.withRepetitionRule(
              RepetitionRule.builder()
                  .maxPatternTokens(shortest + dice.below(3))
                  .minPatternTokens(shortest)
                  .minCount(2)
                  .build());
    }
    return rule;
  }

  private Hold hold() {
    final Hold hold = Hold.until(dice.pick(HOLDS), new CompletableFuture<>());
    return dice.oneIn(4) ? hold.withTimeout(timeout()) : hold;
  }

  private Duration timeout() {
    return switch (dice.below(8)) {
      case 0 -> Duration.ofNanos(1);
      case 1 -> Duration.ofDays(400_000); // more than a clock can count
      default -> Duration.ofMillis(1 + dice.below(300));
    };
  }
}
