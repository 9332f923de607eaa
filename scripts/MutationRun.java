import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Compiles one changed source after the other and runs tests against it, each in a class loader of
 * its own, all in one warm JVM. Started by mutations.py:
 *
 * <pre>MutationRun CLASSES TESTS LIST TIMEOUT_S STAGE...</pre>
 *
 * where a line of LIST is "number TAB changed source" (no source: the unchanged classes), and a
 * STAGE is "name=class,class". Prints "number TAB stage TAB failed tests" for the first stage that
 * fails, or "survived". A mutant that never ends ends the JVM with status 3.
 */
final class MutationRun {

  private MutationRun() {}

  public static void main(String[] args) throws Exception {
    final Path overlay = Files.createTempDirectory("overlay");
    for (String line : Files.readAllLines(Path.of(args[2]))) {
      final String[] fields = line.split("\t", -1);
      clear(overlay);
      if (!fields[1].isEmpty() && !compiles(args[0], overlay, fields[1])) {
        System.out.println(fields[0] + "\tbad\tdoes not compile");
        continue;
      }
      final String result;
      try {
        result =
            CompletableFuture.supplyAsync(
                    () -> firstFailing(overlay, args), task -> daemon(task).start())
                .get(Long.parseLong(args[3]), TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        System.out.println(fields[0] + "\tendless\t(no end)");
        System.out.flush();
        Runtime.getRuntime().halt(3);
        return;
      }
      System.out.println(fields[0] + "\t" + result);
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static Thread daemon(Runnable task) {
    final Thread thread = new Thread(null, task, "mutant", 1 << 20);
    thread.setDaemon(true);
    return thread;
  }

  private static boolean compiles(String classes, Path overlay, String source) {
    final String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    return ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-nowarn", "-proc:none", "-d", overlay.toString(), "-cp", path,
                source)
        == 0;
  }

  private static String firstFailing(Path overlay, String[] args) {
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {
              overlay.toUri().toURL(),
              new File(args[1]).toURI().toURL(),
              new File(args[0]).toURI().toURL()
            },
            MutationRun.class.getClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      for (String stage : Arrays.asList(args).subList(4, args.length)) {
        final String[] parts = stage.split("=");
        final List<Class<?>> classes = new ArrayList<>();
        for (String name : parts[1].split(",")) {
          classes.add(Class.forName(name, false, loader));
        }
        final TreeSet<String> failed = run(classes);
        if (!failed.isEmpty()) {
          return parts[0] + "\t" + String.join(", ", failed);
        }
      }
      return "survived\t";
    } catch (Exception e) {
      return "bad\t" + e;
    }
  }

  private static TreeSet<String> run(List<Class<?>> classes) {
    final TreeSet<String> failed = new TreeSet<>();
    final LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(classes.stream().map(type -> selectClass(type)).toList())
            .filters(TagFilter.excludeTags("slow"))
            .build();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              private TestPlan plan;

              @Override
              public void testPlanExecutionStarted(TestPlan started) {
                plan = started;
              }

              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                  failed.add(nameOf(test));
                }
              }

              /** Dynamic and parameterized tests count under the name of what holds them. */
              private String nameOf(TestIdentifier test) {
                final boolean one =
                    test.getUniqueId().contains("dynamic-container")
                        || test.getUniqueId().contains("test-template-invocation");
                return one ? plan.getParent(test).orElse(test).getDisplayName()
                    : test.getDisplayName();
              }
            });
    return failed;
  }

  private static void clear(Path directory) throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(directory)) {
          Files.delete(file);
        }
      }
    }
  }
}
