/**
 * An engine as a bean of a Spring Boot application: made from the properties {@code headway.*} and
 * the beans of the application, started with it, drained and closed with it.
 *
 * <pre>{@code
 * HeadwayProperties ─▶ Executor ─▶ SchedulerConfig ─▶ Engine ─▶ EngineLifecycle
 *   your own beans ─────▲──────────────▲────────────────▲
 * }</pre>
 *
 * <p>Read {@link dev.headway.spring.boot.HeadwayProperties}, then {@link
 * dev.headway.spring.boot.HeadwayAutoConfiguration}. Your own bean takes the place of each of
 * these. What contradicts itself ends the start of the application with words. The same classes run
 * on Spring Boot 3.5 and 4.
 */
@NullMarked
package dev.headway.spring.boot;

import org.jspecify.annotations.NullMarked;
