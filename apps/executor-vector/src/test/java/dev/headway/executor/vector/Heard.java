package dev.headway.executor.vector;

import dev.headway.api.engine.TokenListener;
import dev.headway.api.step.TokenLogprobs;
import java.util.ArrayList;
import java.util.List;

/** All that a request was told. */
final class Heard implements TokenListener {

  final List<Integer> tokens = new ArrayList<>();
  final List<TokenLogprobs> logprobs = new ArrayList<>();

  @Override
  public void onToken(int index, int tokenId) {
    tokens.add(tokenId);
  }

  @Override
  public void onLogprobs(int index, int tokenId, TokenLogprobs answer) {
    logprobs.add(answer);
  }

  int[] tokenIds() {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }
}
