package dev.headway.scheduler.contract;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a class of tests and says which of them failed. */
final class ContractRun implements TestExecutionListener {

  private final Set<String> failed = new TreeSet<>();

  private ContractRun() {}

  /** Returns the names of the methods that failed. */
  static Set<String> failuresOf(Class<?> tests) {
    final ContractRun run = new ContractRun();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(tests))
                .build(),
            run);
    return run.failed;
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == TestExecutionResult.Status.FAILED) {
      failed.add(
          test.getSource()
              .filter(MethodSource.class::isInstance)
              .map(source -> ((MethodSource) source).getMethodName())
              .orElse(test.getDisplayName()));
    }
  }
}
