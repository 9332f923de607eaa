package dev.headway.spring.boot;

import org.springframework.core.env.Environment;

/** Boot's choice of threads; its own class for it has other names in 3 and 4. Stateless. */
final class VirtualThreads {

  private VirtualThreads() {}

  /** Whether threads that mostly wait are to be virtual. */
  static boolean areEnabled(Environment environment) {
    return environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
  }
}
