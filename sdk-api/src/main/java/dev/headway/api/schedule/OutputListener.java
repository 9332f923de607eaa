package dev.headway.api.schedule;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a request produces. Engine thread, inside the step; must not throw, and must not
 * change other requests.
 */
public interface OutputListener {

  /**
   * Tokens were appended to a request.
   *
   * @param count how many, >= 1: the request's last {@code count} known tokens
   */
  void onTokens(RequestView request, int count, long nowNs);

  /**
   * A request ended; its view is no longer valid after this call.
   *
   * @param stopTokenId the stop token that ended it, or -1
   * @param cause what failed, or null
   */
  void onFinished(
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      long nowNs);
}
