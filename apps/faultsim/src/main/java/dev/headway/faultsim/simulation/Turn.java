package dev.headway.faultsim.simulation;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request, or a turn of a session, and all that must become of it: its tokens are a function of
 * its prompt, its salt and its adapter, so that its end is known beforehand.
 */
final class Turn {

  /** Tokens beyond the end that steps may compute which are out when it ends. */
  private static final int BEYOND = 32;

  final Request request;

  /** Known and to come, as far as steps may compute them. */
  final int[] tokens;

  /** What the slot of each token stands for: the token behind all before it. */
  final long[] truth;

  /** Outputs at which its stop rule ends it, and how. */
  final int endOutputs;

  final FinishReason endReason;

  Turn(Request request, int maxModelLen) {
    this.request = request;
    final int prompt = request.promptTokens();
    final StopRule rule = request.stopRule();
    final int most =
        Math.max(prompt, (int) Math.min((long) prompt + rule.maxTokens(), maxModelLen)) + BEYOND;
    int[] ids = new int[Math.min(most, prompt + 2 * BEYOND)];
    long[] slots = new long[ids.length];
    request.copyPromptTokenIds(0, ids, 0, prompt);
    long prefix =
        Dice.mix(hash(request.cacheSalt()), request.lora() == null ? 0 : request.lora().id());
    int count = 0;
    FinishReason reason = null;
    int size = 0;
    while (size < (reason == null ? most : Math.min(most, prompt + count + BEYOND))) {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, Math.min(most, 2 * size));
        slots = Arrays.copyOf(slots, ids.length);
      }
      if (size >= prompt) {
        ids[size] = (int) Long.remainderUnsigned(prefix, Drawn.VOCABULARY);
        if (reason == null) {
          count++;
          reason = after(rule, ids, prompt, count, maxModelLen);
        }
      }
      prefix = Dice.mix(prefix, content(request, size, ids[size])) & (Long.MAX_VALUE >>> 1);
      slots[size++] = prefix;
    }
    tokens = ids;
    truth = slots;
    endOutputs = count;
    endReason = reason == null ? FinishReason.LENGTH : reason;
  }

  /** Tokens of the prompt and the outputs at its end. */
  int endTokens() {
    return request.promptTokens() + endOutputs;
  }

  /** The output at an index. */
  int output(int index) {
    return tokens[request.promptTokens() + index];
  }

  /** What a token stands for: placeholders of different images are equal. */
  private static long content(Request request, int position, int token) {
    for (MultiModalItem item : request.items()) {
      if (item.offset() <= position && position < item.end()) {
        return Dice.mix(item.hash().hashCode(), position - item.offset());
      }
    }
    return token + 1L;
  }

  private static long hash(@Nullable String salt) {
    return salt == null ? 1 : 2 + salt.hashCode();
  }

  /** How it ends after {@code count} outputs, or null: the rules one by one, from their page. */
  private static @Nullable FinishReason after(
      StopRule rule, int[] tokens, int prompt, int count, int maxModelLen) {
    if (count < rule.minTokens()) {
      return null;
    }
    final int token = tokens[prompt + count - 1];
    if (rule.isEos(token) || rule.isStopToken(token)) {
      return FinishReason.STOP;
    }
    if (count >= rule.maxTokens() || prompt + count >= maxModelLen) {
      return FinishReason.LENGTH;
    }
    return rule.repetitionRule().isPresent()
            && repeats(rule.repetitionRule().get(), tokens, prompt, prompt + count)
        ? FinishReason.REPETITION
        : null;
  }

  private static boolean repeats(RepetitionRule rule, int[] tokens, int prompt, int end) {
    for (int length = rule.minPatternTokens(); length <= rule.maxPatternTokens(); length++) {
      final int begin = end - length * rule.minCount();
      boolean same = begin >= prompt;
      for (int i = begin + length; same && i < end; i++) {
        same = tokens[i] == tokens[i - length];
      }
      if (same) {
        return true;
      }
    }
    return false;
  }
}
