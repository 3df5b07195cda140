package io.delayqueue.dashboard.autoconfigure;

import io.delayqueue.dashboard.DashboardProperties;
import io.delayqueue.dashboard.access.CsrfTokens;
import io.delayqueue.dashboard.access.DashboardCallers;
import io.delayqueue.dashboard.access.DashboardPaths;
import io.delayqueue.dashboard.access.SpringSecurityCsrfTokens;
import io.delayqueue.dashboard.http.Answers;
import io.delayqueue.dashboard.http.DashboardAssets;
import io.delayqueue.dashboard.http.DashboardHeadersFilter;
import io.delayqueue.dashboard.http.LatestOperations;
import io.delayqueue.dashboard.http.MessageController;
import io.delayqueue.dashboard.http.PageController;
import io.delayqueue.dashboard.http.ProblemAdvice;
import io.delayqueue.dashboard.http.ReadController;
import io.delayqueue.dashboard.http.UnknownRequestsController;
import io.delayqueue.dashboard.http.WriteController;
import io.delayqueue.dashboard.read.DashboardReader;
import io.delayqueue.spring.autoconfigure.DelayQueueOperatorAutoConfiguration;
import io.delayqueue.spring.operator.DelayQueueOperator;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;
import org.springframework.http.CacheControl;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Auto-configuration of the dashboard, in servlet applications that enable it. */
@AutoConfiguration(after = DelayQueueOperatorAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "delayqueue.dashboard.enabled")
@ConditionalOnBean(DelayQueueOperator.class)
@EnableConfigurationProperties(DashboardProperties.class)
public final class DashboardAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.dashboard");
    private static final String SECURITY_FILTER_CHAIN = "org.springframework.security.web.SecurityFilterChain";
    private static final Duration FOR_EVER = Duration.ofDays(365);

    @Bean
    DashboardCallers delayQueueDashboardCallers(DashboardProperties properties, ListableBeanFactory beans) {
        DashboardPropertyRules.check(properties);
        if (properties.isOpen()) {
            log.warn(
                    "delayqueue.dashboard.open is true: everyone who reaches {} sees all messages{}",
                    properties.getPath(),
                    properties.isWriteEnabled() ? ", and may change and delete them" : "");
        } else if (!hasSpringSecurity(beans)) {
            throw new OpenDashboardException();
        }
        return new DashboardCallers(properties);
    }

    private static boolean hasSpringSecurity(ListableBeanFactory beans) {
        ClassLoader loader = DashboardAutoConfiguration.class.getClassLoader();
        return ClassUtils.isPresent(SECURITY_FILTER_CHAIN, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(SECURITY_FILTER_CHAIN, loader), true, false)
                                .length
                        > 0;
    }

    @Bean
    CsrfTokens delayQueueDashboardCsrfTokens() {
        return ClassUtils.isPresent(SECURITY_FILTER_CHAIN, DashboardAutoConfiguration.class.getClassLoader())
                ? new SpringSecurityCsrfTokens()
                : CsrfTokens.NONE;
    }

    @Bean
    DashboardPaths delayQueueDashboardPaths(
            DashboardProperties properties, ObjectProvider<DispatcherServletPath> servlet) {
        DispatcherServletPath path = servlet.getIfAvailable();
        return new DashboardPaths(path == null ? "" : path.getPrefix(), properties.getPath());
    }

    @Bean
    DashboardAssets delayQueueDashboardAssets(ResourceLoader resources) {
        ClassLoader loader = resources.getClassLoader();
        return DashboardAssets.load(loader == null ? DashboardAssets.class.getClassLoader() : loader);
    }

    @Bean
    FilterRegistrationBean<DashboardHeadersFilter> delayQueueDashboardHeadersFilter(DashboardPaths paths) {
        FilterRegistrationBean<DashboardHeadersFilter> registration =
                new FilterRegistrationBean<>(new DashboardHeadersFilter());
        registration.addUrlPatterns(paths.urlPatterns());
        registration.setOrder(DashboardHeadersFilter.ORDER);
        return registration;
    }

    @Bean
    PageController delayQueueDashboardPage(
            DelayQueueOperator operator,
            DashboardCallers callers,
            DashboardPaths paths,
            DashboardAssets assets,
            CsrfTokens csrf) {
        return new PageController(operator, callers, paths, assets, csrf);
    }

    @Bean
    Answers delayQueueDashboardAnswers() {
        return new Answers();
    }

    @Bean
    DashboardReader delayQueueDashboardReader(DelayQueueOperator operator, DashboardProperties properties) {
        return new DashboardReader(operator, properties.getReadTimeout());
    }

    /** One of the operator's listeners. */
    @Bean
    LatestOperations delayQueueDashboardOperations() {
        return new LatestOperations();
    }

    @Bean
    ReadController delayQueueDashboardReads(
            DashboardReader reader,
            DelayQueueOperator operator,
            DashboardCallers callers,
            LatestOperations operations,
            Answers answers) {
        return new ReadController(reader, operator, callers, operations, answers);
    }

    @Bean
    MessageController delayQueueDashboardMessages(
            DashboardReader reader,
            DelayQueueOperator operator,
            DashboardCallers callers,
            DashboardProperties properties,
            Answers answers) {
        return new MessageController(reader, operator, callers, properties, answers);
    }

    @Bean
    WriteController delayQueueDashboardWrites(
            DashboardReader reader, DelayQueueOperator operator, DashboardCallers callers, Answers answers) {
        return new WriteController(reader, operator, callers, answers);
    }

    @Bean
    UnknownRequestsController delayQueueDashboardUnknownRequests(Answers answers) {
        return new UnknownRequestsController(answers);
    }

    @Bean
    ProblemAdvice delayQueueDashboardProblems(Answers answers) {
        return new ProblemAdvice(answers);
    }

    @Bean
    WebMvcConfigurer delayQueueDashboardFiles(DashboardPaths paths, DashboardAssets assets) {
        return new WebMvcConfigurer() {
            @Override
            public void addResourceHandlers(ResourceHandlerRegistry registry) {
                registry.addResourceHandler(paths.path() + assets.path() + "/**")
                        .addResourceLocations(DashboardAssets.LOCATION)
                        .setCacheControl(
                                CacheControl.maxAge(FOR_EVER).cachePublic().immutable());
            }
        };
    }
}
