package dev.headway.clients.springai;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The class path with the library of schemas that Spring AI has by itself: OpenAI's client wants
 * the one before, under the same names, and both cannot be in one class path.
 */
final class OwnSchemas implements AutoCloseable {

  private static final Path OWN = Path.of("target", "schemas-of-spring-ai");
  private static final String OTHERS = File.separator + "victools" + File.separator;

  private final URLClassLoader classes;

  OwnSchemas() throws IOException {
    final List<URL> urls = new ArrayList<>();
    try (Stream<Path> own = Files.list(OWN)) {
      for (Path jar : own.toList()) {
        urls.add(jar.toUri().toURL());
      }
    }
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    for (String each : real.split(File.pathSeparator)) {
      if (!each.contains(OTHERS)) {
        urls.add(Path.of(each).toUri().toURL());
      }
    }
    classes = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** Calls {@code call} of a class as it is here. */
  String call(Class<?> type, String argument) throws ReflectiveOperationException {
    final Thread thread = Thread.currentThread();
    final ClassLoader usual = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      return (String)
          classes.loadClass(type.getName()).getMethod("call", String.class).invoke(null, argument);
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  @Override
  public void close() throws IOException {
    classes.close();
  }
}
