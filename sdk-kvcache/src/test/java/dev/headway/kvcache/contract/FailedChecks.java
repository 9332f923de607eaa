package dev.headway.kvcache.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a contract and names the checks that failed. */
final class FailedChecks {

  private FailedChecks() {}

  static Set<String> of(Class<?> contract) {
    final Set<String> failed = new TreeSet<>();
    final TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
              failed.add(test.getDisplayName().replace("()", ""));
            }
          }
        };
    try (LauncherSession session = LauncherFactory.openSession()) {
      session
          .getLauncher()
          .execute(
              LauncherDiscoveryRequestBuilder.request().selectors(selectClass(contract)).build(),
              listener);
    }
    return failed;
  }
}
