create table functions (id integer primary key, name text);
create table function_versions (
    id integer primary key, function_id integer, version integer, code text, is_active boolean, created_date text,
    function_metadata text, input_parameters text, output_parameters text, triggers text
);
create table function_dependency (function_version_id integer, dependency_id integer);
create table imports (id integer primary key, name text, lib text, source text);
create table function_version_imports (function_version_id integer, import_id integer);
create table logs (
    id integer primary key, function_name text, message text, timestamp text, params text, output text,
    time_spent float, parent_log_id integer, triggered_by_log_id integer, log_type text
);
create table secret_keys (id integer primary key, name text, _encrypted_value blob);

insert into functions values (1, 'greet'), (2, 'after_greeting'), (3, 'broken');
insert into function_versions values
    (1, 1, 1, 'def greet(name): return name', false, '2024-10-01 10:00:00', '{"description": "Greets"}', '[]', '[]', '[]'),
    (2, 1, 2, 'def greet(name): return json.dumps(name)', true, '2024-10-02 10:00:00', '{"description": "Greets"}', '[]', '[]', '[]'),
    (3, 2, 1, 'def after_greeting(text): return greet(text)', true, '2024-10-02 10:00:00', '{}', '[]', '[]', '["greet"]'),
    (4, 3, 1, 'def broken(: pass', true, '2024-10-02 10:00:00', '{}', '[]', '[]', '[]');
insert into function_dependency values (3, 1);
insert into imports values (1, 'json', null, null);
insert into function_version_imports values (2, 1);
insert into logs values
    (1, 'greet', 'Executing function ''greet''', '2024-10-02 11:00:00', '{"name": "Ada"}', null, 0.0, null, null, 'started'),
    (2, 'greet', 'Executed function ''greet''', '2024-10-02 11:00:01', '{"name": "Ada"}', '"Ada"', 1.0, null, null, 'finished');
