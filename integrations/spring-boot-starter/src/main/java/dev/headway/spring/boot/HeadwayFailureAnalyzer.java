package dev.headway.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says on the console why there is no engine, and which properties to change. */
final class HeadwayFailureAnalyzer extends AbstractFailureAnalyzer<HeadwayConfigurationException> {

  HeadwayFailureAnalyzer() {}

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, HeadwayConfigurationException failure) {
    final String message = String.valueOf(failure.getMessage());
    final List<String> keys = PropertyKeys.ofOptionsIn(message);
    return new FailureAnalysis(
        "The engine of Headway could not be made: " + message,
        keys.isEmpty()
            ? "Change the properties headway.* or the beans that it names."
            : "Change " + String.join(", ", keys) + ".",
        failure);
  }
}
